//! The parts of two bodies that a contact point holds apart.

use crate::contact::part::Part;
use nalgebra::Vector3;

/// What a contact point is made of. Indices are those of the polytopes; points are in the shape frame of
/// their body.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Feature {
    /// A face of A and a vertex of B.
    FaceVertex(usize, usize),
    /// A vertex of A and a face of B.
    VertexFace(usize, usize),
    /// An edge of A and an edge of B.
    Edges(usize, usize),
    /// A face of A and the point of an edge of B above the rim of the face; edges (of A, of B).
    FacePoint(usize, (usize, usize), Vector3<f64>),
    /// The point of an edge of A above the rim of a face of B, and the face; edges (of A, of B).
    PointFace(Vector3<f64>, (usize, usize), usize),
    /// Any other parts of A and of B, at least one of which is round.
    Parts(Part, Part),
}

impl Feature {
    /// Whether two features are the same but for where a material point was taken.
    pub fn is_same(&self, other: &Feature) -> bool {
        match (self, other) {
            (
                Feature::FacePoint(_, e, _) | Feature::PointFace(_, e, _),
                Feature::FacePoint(_, d, _) | Feature::PointFace(_, d, _),
            ) => e == d,
            (Feature::Parts(a, b), Feature::Parts(c, d)) => a.is_same(c) && b.is_same(d),
            _ => self == other,
        }
    }
}
