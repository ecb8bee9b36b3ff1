//! The face that carries most of the load.

use crate::contact::axis::separating_axis::AxisKind;
use crate::contact::feature::Feature;
use crate::contact::manifold::ContactManifold;
use crate::contact::point::ContactPoint;

impl ContactManifold {
    /// Face of a polytope along whose normal most of the impulses x act, the first met of those that carry
    /// the same load. None where no face is loaded.
    pub(super) fn loaded_face(&self, x: &[f64]) -> Option<AxisKind> {
        let loaded = || self.points.iter().zip(x).filter(|(_, x)| **x > 0.0);
        let mut most: Option<(AxisKind, f64)> = None;
        for face in loaded().filter_map(|(point, _)| face_of(point)) {
            if most.is_some_and(|(known, _)| known == face) {
                continue;
            }
            let load = loaded().filter(|(point, _)| face_of(point) == Some(face)).map(|(_, x)| x).sum();
            if most.is_none_or(|(_, known)| load > known) {
                most = Some((face, load));
            }
        }
        most.map(|(face, _)| face)
    }
}

fn face_of(point: &ContactPoint) -> Option<AxisKind> {
    match (point.feature.0, point.feature.1) {
        (Feature::Face(face), _) => Some(AxisKind::FaceA(face)),
        (_, Feature::Face(face)) => Some(AxisKind::FaceB(face)),
        _ => None,
    }
}
