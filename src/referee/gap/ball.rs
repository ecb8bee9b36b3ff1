//! Signed gap of a ball and a polytope or a cylinder, in closed form.
//!
//! The point of a body nearest to the centre of a ball is in a face, on an edge or a corner: the normal is
//! that of the face, or points from the edge or the corner to the centre. Of a polytope all of these are
//! tried: g of [`super`] never exceeds the gap, so that the largest is the gap, inside the polytope too.

use crate::referee::placed::{PlacedCylinder, PlacedPolytope, PlacedShape};
use nalgebra::Vector3;

/// Largest product of corners and normals to try; larger polytopes are searched as others are.
const MAX_PRODUCTS: usize = 4000;

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
/// cylinder or a polytope of few corners.
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
        PlacedShape::Polytope(p) if n_normals(p) * p.arms.len() <= MAX_PRODUCTS => {
            to_polytope(p, &(ball.center - p.center))
        }
        PlacedShape::Cylinder(c) => to_cylinder(c, &(ball.center - c.center)),
        _ => return None,
    };
    Some((gap - ball.radius, n))
}

fn n_normals(p: &PlacedPolytope) -> usize {
    p.normals.len() + p.shape.edges.len() + p.arms.len()
}

/// Signed distance of a place that is given from the centre of the polytope.
fn to_polytope(p: &PlacedPolytope, place: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let from_edges = p.shape.edges.iter().filter_map(|edge| {
        let [v, w] = edge.vertices.map(|v| p.arms[v]);
        let along = (w - v).try_normalize(0.0)?;
        let off = place - v;
        (off - along * along.dot(&off)).try_normalize(0.0)
    });
    let from_corners = p.arms.iter().filter_map(|v| (place - v).try_normalize(0.0));
    let mut best = (f64::NEG_INFINITY, Vector3::z());
    for n in p.normals.iter().copied().chain(from_edges).chain(from_corners) {
        let gap = n.dot(place) - p.support_width(&n);
        // A NaN must be returned.
        if gap > best.0 || gap.is_nan() {
            best = (gap, n);
        }
        if gap.is_nan() {
            break;
        }
    }
    best
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

    #[test]
    fn the_closed_form_is_what_a_search_finds() {
        let mut random = Pcg64::seed_from_u64(5);
        let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
        for k in 0..200 {
            let body = match k % 3 {
                0 => Shape::Cylinder { radius: 0.3, half_length: 0.1 + 0.002 * f64::from(k) },
                1 => Shape::Polytope(Polytope::cuboid(three(0.5).abs().add_scalar(0.1)).into()),
                _ => {
                    let corners: Vec<_> = (0..10).map(|_| three(0.5)).collect();
                    Shape::Polytope(Polytope::hull(&corners).unwrap().polytope.into())
                }
            };
            let mut place = |shape: &Shape, half: f64| {
                let orientation = UnitQuaternion::from_scaled_axis(three(2.0));
                PlacedShape::new(shape, &Pose::identity(), &Pose { position: three(half), orientation })
            };
            let body = place(&body, 0.1);
            let ball = place(&Shape::Ellipsoid { semi_axes: Vector3::repeat(0.05) }, 0.9);
            for (a, b) in [(&body, &ball), (&ball, &body)] {
                let (gap, n) = signed_gap(a, b).unwrap();
                assert!((separation_along(a, b, &n) - gap).abs() < 1e-14, "case {k}");
                let (searched, _) = round::signed_gap(a, b, None);
                assert!((gap - searched).abs() < 1e-9 && gap > searched - 1e-13, "{k}: {gap}, {searched}");
            }
        }
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
