//! Intersection of a ray with a body.

use nalgebra::Vector3;
use signorini_geometry::{Pose, Shape};

/// Half-line.
#[derive(Debug, Clone, Copy)]
pub struct Ray {
    /// Start of the ray (m).
    pub origin: Vector3<f64>,
    /// Unit direction of the ray.
    pub direction: Vector3<f64>,
}

/// Point at which a ray enters a shape.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// Distance of the point from the ray's origin (m).
    pub distance: f64,
    /// Outer unit normal at the point.
    pub normal: Vector3<f64>,
}

impl Ray {
    /// Point of the ray at a distance (m).
    pub fn at(&self, distance: f64) -> Vector3<f64> {
        self.origin + self.direction * distance
    }

    fn into_frame(self, pose: &Pose) -> Ray {
        let back = pose.orientation.inverse();
        Ray { origin: back * (self.origin - pose.position), direction: back * self.direction }
    }

    /// Finds the point at which the ray enters a shape at a pose, if it does so in front of its origin.
    pub fn enters(self, shape: &Shape, pose: &Pose) -> Option<Hit> {
        let radius = shape.bounding_radius();
        if radius.is_finite() {
            let to_center = pose.position - self.origin;
            let along = to_center.dot(&self.direction);
            if along < -radius || to_center.norm_squared() - along * along > radius * radius {
                return None;
            }
        }
        let local = self.into_frame(pose);
        let hit = match shape {
            Shape::Ellipsoid { semi_axes } => ellipsoid(local, semi_axes),
            Shape::HalfSpace { normal, offset } => slabs(local, [(*normal, *offset)].into_iter()),
            Shape::Polytope(polytope) => slabs(local, polytope.faces.iter().map(|f| (f.normal, f.offset))),
            // From outside nothing else would be seen.
            Shape::Bore { .. } => None,
            Shape::Cylinder { radius, half_length } => cylinder(local, *radius, *half_length),
            Shape::Capsule { radius, half_length } => capsule(local, *radius, *half_length),
        };
        hit.filter(|hit| hit.distance > 0.0).map(|hit| Hit { normal: pose.orientation * hit.normal, ..hit })
    }
}

/// Finds the nearer root of |o + t d|² = 1 in the space where the ellipsoid is the unit sphere.
fn ellipsoid(ray: Ray, semi_axes: &Vector3<f64>) -> Option<Hit> {
    let (o, d) = (ray.origin.component_div(semi_axes), ray.direction.component_div(semi_axes));
    let distance = first_root(d.norm_squared(), o.dot(&d), o.norm_squared() - 1.0)?;
    let normal = ray.at(distance).component_div(semi_axes).component_div(semi_axes).normalize();
    Some(Hit { distance, normal })
}

/// Smaller root of a t² + 2 b t + c = 0.
fn first_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let square = b * b - a * c;
    (square >= 0.0 && a > 0.0).then(|| (-b - square.sqrt()) / a)
}

/// Finds the entry into an intersection of half-spaces { x : n·x ≤ offset }: the ray is inside where it is
/// inside all.
fn slabs(ray: Ray, planes: impl Iterator<Item = (Vector3<f64>, f64)>) -> Option<Hit> {
    let mut entry = Hit { distance: f64::NEG_INFINITY, normal: Vector3::zeros() };
    let mut exit = f64::INFINITY;
    for (normal, offset) in planes {
        let (rate, height) = (normal.dot(&ray.direction), normal.dot(&ray.origin) - offset);
        if rate == 0.0 {
            if height > 0.0 {
                return None;
            }
            continue;
        }
        let distance = -height / rate;
        if rate > 0.0 {
            exit = exit.min(distance);
        } else if distance > entry.distance {
            entry = Hit { distance, normal };
        }
    }
    (entry.distance <= exit && entry.distance.is_finite()).then_some(entry)
}

fn cylinder(ray: Ray, radius: f64, half_length: f64) -> Option<Hit> {
    let caps = slabs(ray, [1.0, -1.0].map(|s| (Vector3::z() * s, half_length)).into_iter());
    let on_cap = caps.filter(|hit| ray.at(hit.distance).xy().norm() <= radius);
    // A convex body is entered once.
    on_cap.or_else(|| side(ray, radius, half_length))
}

/// Entry through the side of a cylinder.
fn side(ray: Ray, radius: f64, half_length: f64) -> Option<Hit> {
    let (o, d) = (ray.origin.xy(), ray.direction.xy());
    let distance = first_root(d.norm_squared(), o.dot(&d), o.norm_squared() - radius * radius)?;
    let p = ray.at(distance);
    (p.z.abs() <= half_length).then(|| Hit { distance, normal: Vector3::new(p.x, p.y, 0.0).normalize() })
}

fn capsule(ray: Ray, radius: f64, half_length: f64) -> Option<Hit> {
    let end = |up: f64| {
        let center = Vector3::z() * (up * half_length);
        let ball = Ray { origin: ray.origin - center, ..ray };
        ellipsoid(ball, &Vector3::repeat(radius)).filter(|hit| up * ball.at(hit.distance).z >= 0.0)
    };
    // A convex body is entered once.
    side(ray, radius, half_length).or_else(|| end(1.0)).or_else(|| end(-1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_geometry::Polytope;
    use std::sync::Arc;

    #[test]
    fn a_ray_enters_each_kind_of_shape_where_it_should() {
        let ray = Ray { origin: Vector3::new(0.1, 0.0, 5.0), direction: -Vector3::z() };
        let pose = Pose { position: Vector3::new(0.1, 0.0, 1.0), ..Pose::identity() };
        let shapes = [
            (Shape::Ellipsoid { semi_axes: Vector3::new(1.0, 2.0, 0.5) }, 3.5),
            (Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(1.0, 1.0, 0.25)))), 3.75),
            (Shape::Cylinder { radius: 0.3, half_length: 1.5 }, 2.5),
            (Shape::Capsule { radius: 0.3, half_length: 1.5 }, 2.2),
            (Shape::HalfSpace { normal: Vector3::z(), offset: -2.0 }, 6.0),
        ];
        for (shape, distance) in shapes {
            let hit = ray.enters(&shape, &pose).expect("a hit");
            assert!((hit.distance - distance).abs() < 1e-12, "{shape:?}: {hit:?}");
            assert!((hit.normal - Vector3::z()).norm() < 1e-12, "{shape:?}: {hit:?}");
            let past = Ray { origin: ray.origin + Vector3::x() * 3.0, ..ray };
            let is_plane = matches!(shape, Shape::HalfSpace { .. });
            assert_eq!(past.enters(&shape, &pose).is_some(), is_plane, "{shape:?}");
            let behind = Ray { direction: Vector3::z(), ..ray };
            assert!(behind.enters(&shape, &pose).is_none(), "{shape:?}");
        }
        let side = Ray { origin: Vector3::new(5.0, 0.0, 1.0), direction: -Vector3::x() };
        let hit = side.enters(&Shape::Cylinder { radius: 0.3, half_length: 1.5 }, &pose).expect("a hit");
        assert!((hit.distance - 4.6).abs() < 1e-12 && (hit.normal - Vector3::x()).norm() < 1e-12);
    }
}
