//! Bodies that share an edge or a corner and nothing else, as the diagonal neighbours in a wall do.
//!
//! Along every normal between those of two faces their separation is zero: they touch along a line or at a
//! point, and the direction of a force at it is undetermined. Bodies that are flush with both of their common
//! neighbours cannot get nearer to each other either. So such a pair is not listed until it would overlap.

use crate::contact::feature::{Cylinder, in_shape, polytope};
use crate::contact::pair::Pair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{COINCIDENT_POINTS, MISSED_OVERLAP, SAME_FACE_COSINE};
use nalgebra::Vector3;

/// Whether bodies that transmitted nothing in the last step share an edge or a corner only, as evaluated at
/// the start of a step.
pub fn shares_edge_only(pair: &Pair, a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let size = a.model.smaller_size(b.model);
    let near = COINCIDENT_POINTS * size;
    let touches = pair.geometry.gap >= -MISSED_OVERLAP * size && pair.geometry.gap <= near;
    let Some(manifold) = pair.manifold.as_ref().filter(|_| touches && a.moved.plane.is_none()) else {
        return false;
    };
    if manifold.points.iter().any(|point| point.impulse > 0.0) {
        return false;
    }
    let lowest = manifold.points.iter().min_by(|p, q| p.geometry.gap.total_cmp(&q.geometry.gap));
    let Some(at) = lowest.map(|point| point.geometry) else { return false };
    let mut first: Option<Vector3<f64>> = None;
    let mut shares = false;
    let mut see = |n: Vector3<f64>| {
        if a.separation_along(b, &n) < -near {
            return;
        }
        match first {
            Some(first) => shares |= first.dot(&n) < SAME_FACE_COSINE,
            None => first = Some(n),
        }
    };
    normals_at(a, &at.arm_a, near, &mut see);
    normals_at(b, &at.arm_b, near, |n| see(-n));
    shares
}

/// Visits the outer normals of all faces, caps and sides on which a point of a body lies, given as its arm.
fn normals_at(body: &Placed<'_>, arm: &Vector3<f64>, near: f64, mut see: impl FnMut(Vector3<f64>)) {
    if let Some(p) = polytope(body) {
        let point = in_shape(body, arm);
        let holds = p.faces.iter().filter(|face| (face.normal.dot(&point) - face.offset).abs() <= near);
        holds.for_each(|face| see(body.moved.shape_rotation * face.normal));
    }
    if let Some(cylinder) = Cylinder::of(body) {
        let (height, radius) = cylinder.coordinates(arm);
        if !cylinder.is_capsule && (height.abs() - cylinder.half).abs() <= near {
            see(cylinder.axis * height.signum());
        }
        if (radius - cylinder.radius).abs() <= near {
            see((arm - cylinder.at(height)) / radius);
        }
    }
}
