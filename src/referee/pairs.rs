//! Signed gap of any two placed shapes.
//!
//! For unit n, g(n) = n·(c_B − c_A) − h_A(n) − h_B(−n) is the width of the slab that n puts between the two: ANY n
//! bounds the signed gap from below, and the gap is the largest g. How the largest is found depends on the pair:
//! [`super::search`] for two ellipsoids, [`super::polytopes`] for two polytopes, [`super::mixed`] for all others.

use super::placed::Placed;
use super::{mixed, polytopes, search};
use nalgebra::Vector3;

/// g(n) of two bounded shapes: a lower bound on the signed gap for any unit n from A to B. NaN for a half-space.
pub fn slab(a: &Placed, b: &Placed, n: &Vector3<f64>) -> f64 {
    let (Some(p), Some(q)) = (a.center(), b.center()) else { return f64::NAN };
    n.dot(&(q - p)) - a.reach(n) - b.reach(&-n)
}

/// The signed gap (m) and the normal from A to B that attains it; infinite between half-spaces. `start` is a guess of
/// the normal.
pub fn signed_gap(a: &Placed, b: &Placed, start: Option<&Vector3<f64>>) -> (f64, Vector3<f64>) {
    match (a, b) {
        (Placed::HalfSpace { normal, .. }, Placed::HalfSpace { .. }) => (f64::INFINITY, *normal),
        (Placed::HalfSpace { normal, offset }, _) => (plane_gap(normal, *offset, b), *normal),
        (_, Placed::HalfSpace { normal, offset }) => (plane_gap(normal, *offset, a), -normal),
        (Placed::Ellipsoid(ea), Placed::Ellipsoid(eb)) => search::signed_gap(ea, eb, start),
        (Placed::Polytope(pa), Placed::Polytope(pb)) => polytopes::signed_gap(pa, pb),
        _ => mixed::signed_gap(a, b, start),
    }
}

/// Gap of a bounded shape over the plane n·x = offset: n·c − offset − h(−n), exact.
pub fn plane_gap(n: &Vector3<f64>, offset: f64, body: &Placed) -> f64 {
    body.center().map_or(f64::INFINITY, |c| n.dot(&c) - offset - body.reach(&-n))
}
