//! Signed gap of any two placed shapes.
//!
//! For unit n, g(n) = n·(c_B − c_A) − h_A(n) − h_B(−n) is the separation of the two along n: ANY n bounds the
//! signed gap from below, and the gap is the largest g. The search for the largest depends on the pair:
//! [`ball`] for a ball and a polytope or a cylinder, [`bore`] for the wall of a bore, [`capsules`] for two
//! capsules, or one and a ball, [`ellipsoids`] for two ellipsoids, [`polytopes`] for two polytopes,
//! [`smooth`] for an ellipsoid and a polytope that do not overlap by much, [`round`] for all others.

mod ball;
pub mod bore;
mod capsules;
pub mod ellipsoids;
mod polytopes;
mod round;
mod smooth;

use super::placed::PlacedShape;
use nalgebra::Vector3;

/// The signed gap (m) and the normal from A to B that attains it; infinite between half-spaces. `start` is a
/// guess of the normal.
pub fn signed_gap(a: &PlacedShape, b: &PlacedShape, start: Option<&Vector3<f64>>) -> (f64, Vector3<f64>) {
    match (a, b) {
        (PlacedShape::HalfSpace { normal, .. }, PlacedShape::HalfSpace { .. }) => (f64::INFINITY, *normal),
        (PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_), PlacedShape::Bore(_))
        | (PlacedShape::Bore(_), PlacedShape::HalfSpace { .. }) => (f64::INFINITY, Vector3::z()),
        (PlacedShape::Bore(bore), _) => bore::signed_gap(bore, b, start),
        (_, PlacedShape::Bore(bore)) => {
            let (gap, n) = bore::signed_gap(bore, a, start.map(|n| -n).as_ref());
            (gap, -n)
        }
        (PlacedShape::HalfSpace { normal, offset }, _) => (plane_gap(normal, *offset, b), *normal),
        (_, PlacedShape::HalfSpace { normal, offset }) => (plane_gap(normal, *offset, a), -normal),
        (PlacedShape::Ellipsoid(ea), PlacedShape::Ellipsoid(eb)) => ellipsoids::signed_gap(ea, eb, start),
        (PlacedShape::Polytope(pa), PlacedShape::Polytope(pb)) => polytopes::signed_gap(pa, pb, start),
        _ => capsules::signed_gap(a, b)
            .or_else(|| ball::signed_gap(a, b))
            .or_else(|| smooth::signed_gap(a, b, start))
            .unwrap_or_else(|| round::signed_gap(a, b, start)),
    }
}

/// Gap of a bounded shape over the plane n·x = offset: n·c − offset − h(−n), exact.
pub fn plane_gap(n: &Vector3<f64>, offset: f64, body: &PlacedShape) -> f64 {
    body.center().map_or(f64::INFINITY, |c| n.dot(&c) - offset - body.support_width(&-n))
}
