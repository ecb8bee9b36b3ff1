//! The features of two bodies that a contact point holds apart.

use crate::contact::feature::{Feature, piece, plane_of};
use crate::contact::placed::Placed;
use crate::contact::tolerances::CLOSEST_POINT_TOLERANCE;
use nalgebra::Vector3;
use signorini_kernels::piece_pair::{Solved, common_normal, gap_along, solve};

/// A feature of A and the feature of B that it faces.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FeaturePair(pub Feature, pub Feature);

impl FeaturePair {
    /// Pairs a feature of one body with the one of the other that it faces; `swapped` if the first is B's.
    pub fn of(own: Feature, other: Feature, swapped: bool) -> Self {
        if swapped { FeaturePair(other, own) } else { FeaturePair(own, other) }
    }

    /// Whether two pairs of features are equal up to the place of a material point. Where two edges cross
    /// above a face, the face may be that of either body.
    pub fn is_same(&self, other: &FeaturePair) -> bool {
        match (self.crossing_edges(), other.crossing_edges()) {
            (Some(edges), Some(others)) => edges == others,
            _ => self.0.is_same(&other.0) && self.1.is_same(&other.1),
        }
    }

    /// Edges (of A, of B) that cross above a face at the feature's point.
    pub fn crossing_edges(&self) -> Option<(usize, usize)> {
        match self {
            FeaturePair(_, Feature::EdgePoint(_, edges)) | FeaturePair(Feature::EdgePoint(_, edges), _) => {
                Some(*edges)
            }
            _ => None,
        }
    }

    /// Whether both features belong to half-spaces or polytopes.
    pub fn is_polyhedral(&self) -> bool {
        self.0.is_polyhedral() && self.1.is_polyhedral()
    }

    /// Solves for gap, normal and points of both features; None if the bodies have no such features. `hint`
    /// tells the side of the normal where no feature has a plane.
    pub fn solve(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<Solved<f64>> {
        let (of_a, of_b) = (piece(self.0, a)?, piece(self.1, b)?);
        let hint = match (plane_of(self.0, a), plane_of(self.1, b)) {
            (Some((n, _)), _) => n,
            (None, Some((n, _))) => -n,
            (None, None) => *hint,
        };
        let offset = a.way_to(b);
        Some(solve(&of_a, &of_b, &offset, &hint, CLOSEST_POINT_TOLERANCE))
    }

    /// Normal of two features of which neither has a plane, and the gap along it (m), from a guess of the
    /// normal.
    pub fn normal(&self, a: &Placed<'_>, b: &Placed<'_>, hint: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
        let (of_a, of_b) = (piece(self.0, a)?, piece(self.1, b)?);
        let offset = a.way_to(b);
        let n = common_normal(&of_a, &of_b, &offset, hint, CLOSEST_POINT_TOLERANCE);
        Some((n, gap_along(&of_a, &of_b, &offset, &n)))
    }
}
