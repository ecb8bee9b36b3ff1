//! Regions between two cylinders with a common axis.

use super::overlap::Placed;
use super::packing::RandomStream;
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Shape};
use std::f64::consts::{PI, TAU};

/// Number of planes that stand for the outer cylinder: a polygon inside the circle, whose sides are off by
/// 1.2e-3 of the radius at most.
const SIDES: usize = 64;
/// Most pushes off these planes; each goes to the one that is worst.
const PUSHES: usize = 16;
/// A push goes a little further, for rounding.
const FURTHER: f64 = 1.0 + 1e-9;

/// Region { x : inner ≤ distance of x from the axis ≤ outer, |x − center| ≤ half_length along the axis }.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tube {
    /// Middle (m).
    pub center: Vector3<f64>,
    /// Unit vector along the axis.
    pub axis: Vector3<f64>,
    /// Half the length (m, > 0).
    pub half_length: f64,
    /// Radius of the inner cylinder (m), 0 where there is none.
    pub inner: f64,
    /// Radius of the outer cylinder (m).
    pub outer: f64,
}

impl Tube {
    /// Corners of the box along the world axes that holds it (m).
    pub fn corners(&self) -> [Vector3<f64>; 2] {
        let half = self.axis.map(|a| self.half_length * a.abs() + self.outer * (1.0 - a * a).max(0.0).sqrt());
        [self.center - half, self.center + half]
    }

    /// Volume (m³).
    pub fn volume(&self) -> f64 {
        PI * (self.outer * self.outer - self.inner * self.inner) * 2.0 * self.half_length
    }

    /// Two unit vectors across the axis, and the axis.
    pub fn frame(&self) -> [Vector3<f64>; 3] {
        let helper = if self.axis.z.abs() < 0.6 { Vector3::z() } else { Vector3::x() };
        let t = self.axis.cross(&helper).normalize();
        [t, self.axis.cross(&t), self.axis]
    }

    /// A place, drawn evenly.
    pub fn anywhere(&self, draw: &mut RandomStream) -> Vector3<f64> {
        let square =
            self.inner * self.inner + (self.outer * self.outer - self.inner * self.inner) * draw.unit();
        let (sin, cos) = (TAU * draw.unit()).sin_cos();
        let along = self.half_length * (2.0 * draw.unit() - 1.0);
        let [t, o, axis] = self.frame();
        self.center + (t * cos + o * sin) * square.sqrt() + axis * along
    }

    /// The inner cylinder, if there is one.
    pub fn core(&self) -> Option<Placed> {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &self.axis);
        let turn = turn.unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
        let pose = Pose { position: self.center, orientation: turn };
        let shape = Shape::Cylinder { radius: self.inner, half_length: self.half_length };
        (self.inner > 0.0).then(|| Placed::new(&shape, &pose))
    }

    /// The place nearest to `position`, or nearly, at which a body is within the outer cylinder and between
    /// the ends, `margin` (m) from them. The body is given by its parts about the origin. None where it is
    /// too large. The inner cylinder does not count.
    pub fn pushed(&self, parts: &[Placed], position: Vector3<f64>, margin: f64) -> Option<Vector3<f64>> {
        let [t, o, axis] = self.frame();
        let mut at = position - self.center;
        let [below, above] = [-axis, axis].map(|u| support(parts, &u));
        let (low, high) = (below + margin - self.half_length, self.half_length - above - margin);
        if low > high {
            return None;
        }
        let along = axis.dot(&at);
        let mut is_moved = !(low..=high).contains(&along);
        at += axis * (along.clamp(low, high) - along);
        let radius = (self.outer - margin) * (PI / SIDES as f64).cos();
        // A body that is far from the wall needs no closer look.
        if self.axis.cross(&at).norm() + ball(parts) <= radius {
            return Some(if is_moved { self.center + at } else { position });
        }
        let normals: [(Vector3<f64>, f64); SIDES] = std::array::from_fn(|k| {
            let (sin, cos) = (TAU * k as f64 / SIDES as f64).sin_cos();
            let normal = t * cos + o * sin;
            (normal, support(parts, &normal))
        });
        for _ in 0..PUSHES {
            let out = normals.iter().map(|(normal, reach)| (normal, normal.dot(&at) + reach - radius));
            let (normal, far) = out.max_by(|a, b| a.1.total_cmp(&b.1))?;
            if far <= 0.0 {
                // A place that is good stays, to the last bit.
                return Some(if is_moved { self.center + at } else { position });
            }
            is_moved = true;
            at -= normal * (far * FURTHER);
        }
        None
    }
}

/// Radius about the origin of a ball that holds parts (m).
fn ball(parts: &[Placed]) -> f64 {
    let radius = |part: &Placed| part.ball().map_or(f64::INFINITY, |(center, radius)| center.norm() + radius);
    parts.iter().map(radius).fold(0.0, f64::max)
}

/// How far parts about the origin reach along a direction (m).
fn support(parts: &[Placed], direction: &Vector3<f64>) -> f64 {
    let of_part = |part: &Placed| Some(direction.dot(&(part.center()? + part.arm(direction)?)));
    parts.iter().map(|part| of_part(part).unwrap_or(f64::INFINITY)).fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tube(inner: f64) -> Tube {
        let axis = Vector3::new(1.0, 2.0, -2.0) / 3.0;
        Tube { center: Vector3::new(1.0, 2.0, 3.0), axis, half_length: 0.5, inner, outer: 0.4 }
    }

    /// Distances of a place from the middle along the axis and from the axis.
    fn cylindrical(tube: &Tube, x: &Vector3<f64>) -> [f64; 2] {
        let at = x - tube.center;
        [tube.axis.dot(&at), tube.axis.cross(&at).norm()]
    }

    #[test]
    fn places_are_drawn_evenly() {
        let tube = tube(0.2);
        let mut draw = RandomStream::new(3, 0);
        let [low, high] = tube.corners();
        let (n, mut near) = (20_000, 0);
        for _ in 0..n {
            let x = tube.anywhere(&mut draw);
            let [along, across] = cylindrical(&tube, &x);
            assert!(along.abs() <= 0.5 && (0.2..=0.4 + 1e-12).contains(&across));
            assert!(x.sup(&low) == x && x.inf(&high) == x);
            near += usize::from(across < 0.3);
        }
        // (0.3² − 0.2²) / (0.4² − 0.2²)
        assert!((near as f64 / f64::from(n) - 5.0 / 12.0).abs() < 0.01, "{near}");
    }

    #[test]
    fn bodies_are_pushed_inside_and_no_further() {
        let tube = tube(0.0);
        let mut draw = RandomStream::new(4, 0);
        let shape = Shape::Ellipsoid { semi_axes: Vector3::new(0.1, 0.05, 0.2) };
        for _ in 0..500 {
            let pose = Pose { position: Vector3::zeros(), orientation: draw.rotation() };
            let parts = [Placed::new(&shape, &pose)];
            let wanted = tube.center + draw.in_ball() * 0.6;
            let found = tube.pushed(&parts, wanted, 0.01).expect("it fits");
            // Points of the surface, from all sides.
            for _ in 0..100 {
                let u = draw.in_ball().normalize();
                let x = found + parts[0].arm(&u).unwrap();
                let [along, across] = cylindrical(&tube, &x);
                assert!(along.abs() < 0.49 + 1e-9 && across < 0.39 + 1e-9, "{along} {across}");
            }
            // A body that is inside stays.
            assert_eq!(tube.pushed(&parts, found, 0.0), Some(found));
        }
        let large = [Placed::new(&Shape::Ellipsoid { semi_axes: Vector3::repeat(0.41) }, &Pose::identity())];
        assert_eq!(tube.pushed(&large, tube.center, 0.0), None);
    }
}
