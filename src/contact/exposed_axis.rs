//! The way out of a body whose parts share faces.
//!
//! Two parts that overlap are the least deep in each other along some axis. Where that is the normal of a
//! face which another part covers, or of an edge that the union does not have, the way out is along a face of
//! the union.

use crate::contact::feature::{Feature, flat_faces, plane_of, polytope};
use crate::contact::placed::Placed;
use crate::contact::tolerances::{MISSED_OVERLAP, SEAM_WIDTH};
use crate::contact::union_normal::RISE;
use nalgebra::Vector3;
use signorini_geometry::exposure::Exposure;

/// A flat face of one of two parts as an axis of both.
#[derive(Debug, Clone, Copy)]
pub struct FaceAxis {
    /// Separation along the normal (m).
    pub gap: f64,
    /// Unit normal from A into B, world.
    pub normal: Vector3<f64>,
    /// Feature with that normal, a face or a cap.
    pub feature: Feature,
    /// Whether the face is B's.
    pub is_of_b: bool,
}

/// Whether two parts overlap by that gap, and one of them has faces in common with its neighbours. A
/// half-space has only one way out.
pub fn may_be_interior(a: &Placed<'_>, b: &Placed<'_>, gap: f64) -> bool {
    let size = a.model.smaller_size(b.model);
    gap < -MISSED_OVERLAP * size && a.moved.plane.is_none() && [a, b].into_iter().any(has_shared_faces)
}

fn has_shared_faces(part: &Placed<'_>) -> bool {
    !part.model.exposed.faces.is_empty()
}

/// Finds the exposed face along which two parts are the least deep in each other. Of parts that came `from`
/// the side of that normal it is a face of this side, if one exists. None where both are round.
pub fn exposed_face(a: &Placed<'_>, b: &Placed<'_>, from: Option<&Vector3<f64>>) -> Option<FaceAxis> {
    least_deep([a, b], from, |_, _| true)
}

/// Finds that face among those beside which a face of a neighbour rises, as in a groove.
pub fn exposed_face_of_groove(
    a: &Placed<'_>,
    b: &Placed<'_>,
    from: Option<&Vector3<f64>>,
) -> Option<FaceAxis> {
    least_deep([a, b], from, is_of_groove)
}

fn least_deep(
    [a, b]: [&Placed<'_>; 2],
    from: Option<&Vector3<f64>>,
    is_looked_at: impl Fn(&Placed<'_>, Feature) -> bool,
) -> Option<FaceAxis> {
    let mut best: Option<FaceAxis> = None;
    let is_behind = |axis: &FaceAxis| from.is_some_and(|from| axis.normal.dot(from) <= 0.0);
    let rank = |axis: &FaceAxis| (!is_behind(axis), axis.gap);
    for (part, is_of_b) in [(a, false), (b, true)] {
        for feature in exposed_faces(part).filter(|feature| is_looked_at(part, *feature)) {
            let Some((out, _)) = plane_of(feature, part) else { continue };
            let normal = if is_of_b { -out } else { out };
            let axis = FaceAxis { gap: a.separation_along(b, &normal), normal, feature, is_of_b };
            if best.is_none_or(|best| rank(&axis) > rank(&best)) {
                best = Some(axis);
            }
        }
    }
    best
}

/// Returns the flat faces of a part that are at least partly exposed.
fn exposed_faces(part: &Placed<'_>) -> impl Iterator<Item = Feature> {
    let faces = &part.model.exposed.faces;
    let exposed = move |(k, _): &(usize, Feature)| faces.get(*k) != Some(&Exposure::Covered);
    flat_faces(part).enumerate().filter(exposed).map(|(_, face)| face)
}

/// Whether a face of a neighbour rises above a face of a part.
fn is_of_groove(part: &Placed<'_>, feature: Feature) -> bool {
    let (Some(polytope), Feature::Face(face)) = (polytope(part), feature) else { return false };
    let face = &polytope.faces[face];
    let above = RISE * SEAM_WIDTH * part.model.size;
    let rises = |corner: &Vector3<f64>| face.normal.dot(corner) - face.offset > above;
    part.model.exposed.beside.iter().any(|beside| match &beside.exposure {
        Exposure::Pieces(pieces) => pieces.iter().flatten().any(rises),
        Exposure::Whole | Exposure::Covered => false,
    })
}
