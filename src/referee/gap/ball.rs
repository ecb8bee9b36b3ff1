//! Signed gap of a ball and a polytope or a cylinder, in closed form.
//!
//! The point of a body nearest to the centre of a ball is in a face, on an edge or a corner: the normal is
//! that of the face, or points from the edge or the corner to the centre. A nearest point inside a face is
//! that of the face over which the centre is highest, for no height over a face exceeds the distance. Any
//! other nearest point is the one on the nearest edge, its ends included. Inside the polytope the least way
//! out is through the highest face. The support function is asked along these normals only: g of [`super`]
//! never exceeds the gap, so that the largest is the gap.

use crate::referee::placed::{PlacedCylinder, PlacedPolytope, PlacedShape};
use nalgebra::Vector3;

/// Height (of the polytope's radius) below that of the highest face at which a face is tried too: heights are
/// rounded, and faces of a hull are flat up to its tolerance.
const AS_HIGH: f64 = 1e-9;

/// A ball.
struct Ball {
    center: Vector3<f64>,
    radius: f64,
}

impl Ball {
    fn of(shape: &PlacedShape) -> Option<Self> {
        let PlacedShape::Ellipsoid(e) = shape else { return None };
        e.radius().map(|radius| Self { center: e.center, radius })
    }
}

/// The signed gap (m) and the normal from A to B that attains it, if one of them is a ball and the other a
/// cylinder or a polytope.
pub fn signed_gap(a: &PlacedShape, b: &PlacedShape) -> Option<(f64, Vector3<f64>)> {
    if let Some(ball) = Ball::of(b) {
        return distance(a, &ball);
    }
    let (gap, n) = distance(b, &Ball::of(a)?)?;
    Some((gap, -n))
}

/// Gap of a body and a ball, and the normal towards the ball.
fn distance(body: &PlacedShape, ball: &Ball) -> Option<(f64, Vector3<f64>)> {
    let (gap, n) = match body {
        PlacedShape::Polytope(p) => to_polytope(p, &(ball.center - p.center)),
        PlacedShape::Cylinder(c) => to_cylinder(c, &(ball.center - c.center)),
        _ => return None,
    };
    Some((gap - ball.radius, n))
}

/// Signed distance of a place that is given from the centre of the polytope, and the normal towards the
/// place.
pub fn to_polytope(p: &PlacedPolytope, place: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let mut best = (f64::NEG_INFINITY, Vector3::z());
    let mut try_normal = |n: Vector3<f64>| {
        let gap = n.dot(place) - p.support_width(&n);
        // A NaN must be returned.
        if gap > best.0 || gap.is_nan() {
            best = (gap, n);
        }
    };
    let heights = || p.normals.iter().zip(&p.shape.faces).map(|(n, face)| n.dot(place) - face.offset);
    let highest = heights().fold(f64::NEG_INFINITY, f64::max);
    let tried = highest - AS_HIGH * p.shape.radius;
    // A face whose height is NaN is tried.
    let is_tried = |height: f64| height >= tried || height.is_nan();
    for (n, _) in p.normals.iter().zip(heights()).filter(|(_, height)| is_tried(*height)) {
        try_normal(*n);
    }
    if highest > 0.0
        && let Some(n) = from_nearest_edge(p, place)
    {
        try_normal(n);
    }
    best
}

/// Unit vector from the nearest point on an edge of the polytope, its ends included, to the place.
fn from_nearest_edge(p: &PlacedPolytope, place: &Vector3<f64>) -> Option<Vector3<f64>> {
    let mut nearest = (f64::INFINITY, Vector3::zeros(), None);
    for edge in &p.shape.edges {
        let [v, w] = edge.vertices.map(|v| p.arms[v]);
        let (along, off) = (w - v, place - v);
        let part = (along.dot(&off) / along.norm_squared()).clamp(0.0, 1.0);
        let way = off - along * part;
        let squared = way.norm_squared();
        if squared < nearest.0 {
            nearest = (squared, way, Some(along).filter(|_| part > 0.0 && part < 1.0));
        }
    }
    let (_, way, along) = nearest;
    let n = way.try_normalize(0.0)?;
    // A short way is known to few digits: what is left of the edge in it would lean the normal.
    let across =
        |along: Vector3<f64>| (n - along * (along.dot(&n) / along.norm_squared())).try_normalize(0.0);
    along.map_or(Some(n), across)
}

/// Signed distance of a place that is given from the centre of the cylinder.
fn to_cylinder(c: &PlacedCylinder, place: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let along = c.axis.dot(place);
    let off = place - c.axis * along;
    let cap = c.axis * 1.0_f64.copysign(along);
    let side = off.try_normalize(0.0).unwrap_or_else(|| across(&c.axis));
    let (above, beside) = (along.abs() - c.half_length, off.norm() - c.radius);
    if above > 0.0 && beside > 0.0 {
        let distance = above.hypot(beside);
        return (distance, (cap * above + side * beside) / distance);
    }
    if above > beside { (above, cap) } else { (beside, side) }
}

/// Returns some direction across an axis.
fn across(axis: &Vector3<f64>) -> Vector3<f64> {
    axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::gap::round;
    use crate::referee::placed::separation_along;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Polytope, Pose, Shape};

    fn placed(random: &mut Pcg64, shape: &Shape, half: f64) -> PlacedShape {
        let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
        let orientation = UnitQuaternion::from_scaled_axis(three(2.0));
        PlacedShape::new(shape, &Pose::identity(), &Pose { position: three(half), orientation })
    }

    fn hull(random: &mut Pcg64, count: usize) -> Shape {
        let corner = |_| Vector3::from_fn(|_, _| random.random_range(-0.5..0.5));
        let corners: Vec<_> = (0..count).map(corner).collect();
        Shape::Polytope(Polytope::hull(&corners).unwrap().polytope.into())
    }

    #[test]
    fn the_closed_form_is_what_a_search_finds() {
        let mut random = Pcg64::seed_from_u64(5);
        for k in 0..200 {
            let body = match k % 3 {
                0 => Shape::Cylinder { radius: 0.3, half_length: 0.1 + 0.002 * f64::from(k) },
                1 => {
                    let half = Vector3::from_fn(|_, _| random.random_range(0.1..0.6));
                    Shape::Polytope(Polytope::box_(half).into())
                }
                _ => hull(&mut random, 10),
            };
            let body = placed(&mut random, &body, 0.1);
            let ball = placed(&mut random, &Shape::Ellipsoid { semi_axes: Vector3::repeat(0.05) }, 0.9);
            for (a, b) in [(&body, &ball), (&ball, &body)] {
                let (gap, n) = signed_gap(a, b).unwrap();
                assert!((separation_along(a, b, &n) - gap).abs() < 1e-14, "case {k}");
                let (searched, _) = round::signed_gap(a, b, None);
                assert!((gap - searched).abs() < 1e-9 && gap > searched - 1e-13, "{k}: {gap}, {searched}");
            }
        }
    }

    /// Oracle: the largest separation along the normals of all faces, edges and corners, which is the
    /// distance.
    fn over_all_features(p: &PlacedPolytope, place: &Vector3<f64>) -> f64 {
        let from_edges = p.shape.edges.iter().filter_map(|edge| {
            let [v, w] = edge.vertices.map(|v| p.arms[v]);
            let (along, off) = ((w - v).normalize(), place - v);
            let n = (off - along * along.dot(&off)).try_normalize(0.0)?;
            (n - along * along.dot(&n)).try_normalize(0.0)
        });
        let from_corners = p.arms.iter().filter_map(|v| (place - v).try_normalize(0.0));
        let normals = p.normals.iter().copied().chain(from_edges).chain(from_corners);
        normals.map(|n| n.dot(place) - p.support_width(&n)).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn the_features_left_out_are_not_the_nearest() {
        let mut random = Pcg64::seed_from_u64(8);
        let mut above = [0; 3];
        for k in 0..600 {
            let shape = hull(&mut random, 6 + k % 60);
            let PlacedShape::Polytope(p) = placed(&mut random, &shape, 0.1) else { unreachable!("a hull") };
            // Some places are a hair off a corner, or off the middle of an edge.
            let far = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
            let [v, w] = p.shape.edges[k % p.shape.edges.len()].vertices.map(|v| p.arms[v]);
            let hair = far * 10f64.powi(-((k % 12) as i32));
            let place = [far, v + hair, (v + w) * 0.5 + hair][k % 3];
            let (gap, n) = to_polytope(&p, &place);
            let exact = over_all_features(&p, &place);
            assert!((n.dot(&place) - p.support_width(&n) - gap).abs() < 1e-15, "case {k}");
            assert!((gap - exact).abs() < 1e-14, "case {k}: {gap} against {exact}");
            above[k % 3] += usize::from(gap > 0.0);
        }
        assert!(above.iter().all(|n| (60..200).contains(n)), "{above:?}");
    }

    #[test]
    fn a_ball_on_the_axis_of_a_cylinder_is_measured_from_its_caps() {
        let at = |shape: &Shape| PlacedShape::new(shape, &Pose::identity(), &Pose::identity());
        let can = at(&Shape::Cylinder { radius: 0.5, half_length: 0.2 });
        let ball = at(&Shape::Ellipsoid { semi_axes: Vector3::repeat(0.05) });
        let (gap, n) = signed_gap(&can, &ball).unwrap();
        assert_eq!((gap, n.z.abs()), (-0.2 - 0.05, 1.0));
    }
}
