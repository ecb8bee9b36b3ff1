//! The way out of a body whose parts share faces.
//!
//! Two parts that overlap are the least deep in each other along some axis. Where that is the normal of a
//! face which another part covers, or of an edge that the union has not, the way out is along a face that the
//! union has.

use crate::contact::facing::Facing;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::placed::Placed;
use crate::contact::tolerances::MISSED_OVERLAP;
use crate::geometry::Shape;
use crate::geometry::exposure::Exposure;
use nalgebra::Vector3;

/// Whether parts that face each other like this overlap, and one of them shares faces with its neighbours.
pub fn may_be_inner(query: &FeatureQuery<'_>, facing: &Facing) -> bool {
    let shares = |part: &Placed<'_>| !part.model.exposed.faces.is_empty();
    let size = query.a.model.smaller_size(query.b.model);
    query.side.is_none() && facing.gap < -MISSED_OVERLAP * size && (shares(query.a) || shares(query.b))
}

/// The normal (from A into B) of the exposed face along which two parts are the least deep in each other.
/// None where both are round.
pub fn exposed_normal(a: &Placed<'_>, b: &Placed<'_>) -> Option<Vector3<f64>> {
    let mut best: Option<(f64, Vector3<f64>)> = None;
    let mut see = |n: Vector3<f64>| {
        let gap = a.separation_along(b, &n);
        if best.is_none_or(|(widest, _)| gap > widest) {
            best = Some((gap, n));
        }
    };
    exposed_faces(a, &mut see);
    exposed_faces(b, |n| see(-n));
    best.map(|(_, n)| n)
}

/// Outer normals of the flat faces of a part of which something is exposed.
fn exposed_faces(part: &Placed<'_>, mut see: impl FnMut(Vector3<f64>)) {
    let faces = &part.model.exposed.faces;
    let is_exposed = |k: usize| faces.get(k) != Some(&Exposure::Covered);
    match &part.model.shape {
        Shape::Polytope(p) => {
            let exposed = p.faces.iter().enumerate().filter(|(k, _)| is_exposed(*k));
            exposed.for_each(|(_, face)| see(part.moved.shape_rotation * face.normal));
        }
        Shape::Cylinder { .. } => {
            let axis: Vector3<f64> = part.moved.shape_rotation.column(2).into();
            [axis, -axis].into_iter().enumerate().filter(|(k, _)| is_exposed(*k)).for_each(|(_, n)| see(n));
        }
        Shape::HalfSpace { .. } | Shape::Ellipsoid { .. } => {}
    }
}
