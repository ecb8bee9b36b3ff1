//! Surfaces of shapes as polygons.

use nalgebra::Vector3;
use signorini_geometry::shape::off_line;
use signorini_geometry::{Pose, Shape, Surface};
use signorini_scene::scene::{Scene, State};
use std::f64::consts::TAU;

/// Number of sides of the polygons that stand for circles, a multiple of 4: extreme points along the axes are
/// corners, so that bounds are exact.
const SIDES: usize = 48;

/// Closed surface of polygons, or a square of a plane.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Corners (m).
    pub points: Vec<Vector3<f64>>,
    /// Indices of the corners of each polygon, counter-clockwise from outside.
    pub faces: Vec<Vec<usize>>,
}

impl Mesh {
    /// Makes the surface of a shape in the shape's frame; None for half-spaces and bores, which have no end.
    pub fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Ellipsoid { semi_axes } => Some(round(semi_axes, 0.0, SIDES)),
            Shape::Capsule { radius, half_length } => {
                Some(round(&Vector3::repeat(*radius), *half_length, SIDES))
            }
            Shape::Cylinder { radius, half_length } => Some(cylinder(*radius, *half_length)),
            Shape::Polytope(p) => Some(Self {
                points: p.vertices.clone(),
                faces: p.faces.iter().map(|f| f.vertices.clone()).collect(),
            }),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => None,
        }
    }

    /// Makes the mesh of the triangles of a surface, without the solid parts behind them.
    pub fn of_surface(surface: &Surface) -> Self {
        let faces = surface.triangles.iter().map(|t| t.to_vec()).collect();
        Self { points: surface.points.clone(), faces }
    }

    /// Makes the mesh of one triangle of a surface.
    pub fn of_triangle(surface: &Surface, triangle: usize) -> Self {
        let points = surface.triangles[triangle].map(|v| surface.points[v]).to_vec();
        Self { points, faces: vec![vec![0, 1, 2]] }
    }

    /// Makes a square of the plane normal·x = offset, about the point of the plane that is nearest to
    /// `centre`.
    pub fn plane(normal: &Vector3<f64>, offset: f64, centre: &Vector3<f64>, half_width: f64) -> Self {
        let middle = centre + normal * (offset - normal.dot(centre));
        let across = Vector3::ith(normal.iamin(), 1.0);
        let t = (across - normal * normal.dot(&across)).normalize();
        let o = normal.cross(&t);
        let corner = |x: f64, y: f64| middle + (t * x + o * y) * half_width;
        let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Self { points, faces: vec![vec![0, 1, 2, 3]] }
    }

    /// Makes the wall of a bore about z, seen from inside, from one height to another.
    pub fn bore(radius: f64, heights: [f64; 2]) -> Self {
        let circle = |height: f64| {
            (0..SIDES).map(move |k| {
                let (x, y) = on_circle(k, SIDES);
                Vector3::new(radius * x, radius * y, height)
            })
        };
        let points = heights.into_iter().flat_map(circle).collect();
        let face = |k: usize| {
            let next = (k + 1) % SIDES;
            vec![next, k, SIDES + k, SIDES + next]
        };
        Self { points, faces: (0..SIDES).map(face).collect() }
    }

    /// Makes the wall of the bore of a body in its frame, as long as what a state has in it; None of other
    /// bodies.
    pub fn of_bore(scene: &Scene, state: &State, id: usize) -> Option<Self> {
        let body = &scene.bodies[id];
        let part = body.parts.first()?;
        let Shape::Bore { radius, .. } = part.shape else { return None };
        let frame = state.poses[id].compose(&part.pose);
        let axis = frame.orientation * Vector3::z();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (other, pose) in scene.bodies.iter().zip(&state.poses).filter(|(other, _)| !other.fixed) {
            let (place, reach) = (axis.dot(&(pose.position - frame.position)), other.bounding_radius());
            (low, high) = (low.min(place - reach), high.max(place + reach));
        }
        let heights = if low < high { [low, high] } else { [-radius, radius] };
        Some(Self::bore(radius, heights).placed(&part.pose))
    }

    /// Returns the mesh in the frame in which `pose` is given.
    pub fn placed(&self, pose: &Pose) -> Self {
        Self { points: self.points.iter().map(|p| pose.point(p)).collect(), faces: self.faces.clone() }
    }
}

/// Cosine and sine of k/`sides` of a full turn, exact at quarters.
pub fn on_circle(k: usize, sides: usize) -> (f64, f64) {
    let quarter = sides / 4;
    let (turns, rest) = (k / quarter, k % quarter);
    let angle = TAU * rest as f64 / sides as f64;
    let (s, c) = if rest == 0 { (0.0, 1.0) } else { angle.sin_cos() };
    match turns % 4 {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    }
}

/// Makes circles of latitude between two poles: those of an ellipsoid with its halves moved apart by a half
/// length, with a band between them. `sides` is a multiple of 4.
pub fn round(a: &Vector3<f64>, half_length: f64, sides: usize) -> Mesh {
    let equator = sides / 4;
    let south = (1..=equator).map(|ring| (ring, -half_length));
    let second = if half_length > 0.0 { equator } else { equator + 1 };
    let north = (second..sides / 2).map(|ring| (ring, half_length));
    let mut points = vec![Vector3::new(0.0, 0.0, -a.z - half_length)];
    let mut rings = 0;
    for (ring, off) in south.chain(north) {
        rings += 1;
        // Rings start at the south pole: minus the cosine is the height.
        let (height, radius) = on_circle(ring, sides);
        for k in 0..sides {
            let (x, y) = on_circle(k, sides);
            points.push(Vector3::new(a.x * radius * x, a.y * radius * y, -a.z * height + off));
        }
    }
    points.push(Vector3::new(0.0, 0.0, a.z + half_length));
    let last = points.len() - 1;
    let at = |ring: usize, k: usize| 1 + (ring - 1) * sides + k % sides;
    let mut faces = Vec::new();
    for k in 0..sides {
        faces.push(vec![0, at(1, k + 1), at(1, k)]);
        for ring in 1..rings {
            faces.push(vec![at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
        faces.push(vec![at(rings, k), at(rings, k + 1), last]);
    }
    Mesh { points, faces }
}

/// Normal of a smooth shape at a point of its surface, in the shape's frame; None of shapes with faces.
pub fn normal_at(shape: &Shape, p: &Vector3<f64>) -> Option<Vector3<f64>> {
    match shape {
        Shape::Ellipsoid { semi_axes: a } => Some(p.component_div(&a.component_mul(a)).normalize()),
        Shape::Capsule { half_length, .. } => Some(off_line(p, *half_length).normalize()),
        _ => None,
    }
}

/// Makes two caps and a band; the caps have corners of their own, so that the normals jump at the rims.
fn cylinder(radius: f64, half_length: f64) -> Mesh {
    let mut points = Vec::with_capacity(4 * SIDES);
    for height in [-half_length, half_length, -half_length, half_length] {
        for k in 0..SIDES {
            let (x, y) = on_circle(k, SIDES);
            points.push(Vector3::new(radius * x, radius * y, height));
        }
    }
    let mut faces: Vec<Vec<usize>> = (0..SIDES)
        .map(|k| {
            let next = (k + 1) % SIDES;
            vec![k, next, SIDES + next, SIDES + k]
        })
        .collect();
    faces.push((2 * SIDES..3 * SIDES).rev().collect());
    faces.push((3 * SIDES..4 * SIDES).collect());
    Mesh { points, faces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_geometry::Polytope;
    use std::sync::Arc;

    /// Volume by the divergence theorem: negative when faces point inwards.
    fn volume(mesh: &Mesh) -> f64 {
        let p = &mesh.points;
        let fan = |f: &Vec<usize>| -> f64 {
            (1..f.len() - 1).map(|k| p[f[0]].dot(&p[f[k]].cross(&p[f[k + 1]]))).sum()
        };
        mesh.faces.iter().map(fan).sum::<f64>() / 6.0
    }

    #[test]
    fn surfaces_have_exact_bounds_and_look_outwards() {
        let a = Vector3::new(0.3, 0.2, 0.1);
        let ball = TAU * 2.0 / 3.0 * a.x * a.y * a.z;
        let shapes = [
            (Shape::Ellipsoid { semi_axes: a }, a, ball),
            (
                Shape::Cylinder { radius: 0.3, half_length: 0.1 },
                Vector3::new(0.3, 0.3, 0.1),
                TAU / 2.0 * 0.018,
            ),
            (
                Shape::Capsule { radius: 0.3, half_length: 0.1 },
                Vector3::new(0.3, 0.3, 0.4),
                TAU / 2.0 * 0.018 + TAU * 2.0 / 3.0 * 0.027,
            ),
            (Shape::Polytope(Arc::new(Polytope::box_(a))), a, 8.0 * a.x * a.y * a.z),
        ];
        for (shape, bounds, exact) in shapes {
            let mesh = Mesh::of(&shape).unwrap();
            let reach = mesh.points.iter().fold(Vector3::zeros(), |r: Vector3<f64>, p| r.sup(&p.abs()));
            assert_eq!(reach, bounds);
            let found = volume(&mesh);
            assert!(found <= exact * (1.0 + 1e-12) && found > 0.99 * exact, "{found}, not {exact}");
        }
    }

    #[test]
    fn a_plane_is_where_it_says() {
        let normal = Vector3::new(0.6, 0.0, 0.8);
        let mesh = Mesh::plane(&normal, 0.5, &Vector3::new(1.0, 2.0, 3.0), 2.0);
        for p in &mesh.points {
            assert!((normal.dot(p) - 0.5).abs() < 1e-12);
        }
        let [a, b, c] = [mesh.points[0], mesh.points[1], mesh.points[2]];
        assert!((b - a).cross(&(c - b)).dot(&normal) > 0.0);
    }
}
