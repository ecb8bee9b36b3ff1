//! Corners and edges that parts of one body have in common: staves of a pipe, pieces of a mesh.
//!
//! A body that touches such an edge touches it with each of its parts, at one place along one normal. Rows of
//! all of them would say the same twice, and no method could tell which of them is active. So one part has
//! the feature: the first.

use crate::contact::tolerances::COINCIDENT_POINTS;
use nalgebra::Vector3;
use signorini_geometry::{Polytope, Pose, Shape};
use signorini_scene::scene::Part;

/// Corners and edges of a polytope that belong to an earlier part of its body, too; empty where none do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedFeatures {
    corners: Vec<bool>,
    edges: Vec<bool>,
}

/// A polytope where it is in its body.
struct InBody<'a> {
    polytope: &'a Polytope,
    /// Its centre of mass, and its corners (m).
    center: Vector3<f64>,
    corners: Vec<Vector3<f64>>,
}

impl SharedFeatures {
    /// Of each part of a body.
    pub fn of(parts: &[Part]) -> Vec<Self> {
        let all: Vec<Option<InBody<'_>>> = parts.iter().map(InBody::of).collect();
        let of_one = |k: usize| {
            let mut shared = Self::default();
            if let Some(own) = &all[k] {
                all[..k].iter().flatten().for_each(|earlier| shared.add(own, earlier));
            }
            shared
        };
        (0..parts.len()).map(of_one).collect()
    }

    fn add(&mut self, own: &InBody<'_>, earlier: &InBody<'_>) {
        let near = COINCIDENT_POINTS * own.polytope.size.min(earlier.polytope.size);
        let reach = own.polytope.radius + earlier.polytope.radius + near;
        if (own.center - earlier.center).norm_squared() > reach * reach {
            return;
        }
        let same = |corner: &Vector3<f64>| {
            earlier.corners.iter().position(|other| (other - corner).norm_squared() <= near * near)
        };
        let known: Vec<Option<usize>> = own.corners.iter().map(same).collect();
        if known.iter().all(Option::is_none) {
            return;
        }
        self.corners.resize(own.corners.len(), false);
        self.edges.resize(own.polytope.edges.len(), false);
        self.corners.iter_mut().zip(&known).for_each(|(shared, known)| *shared |= known.is_some());
        for (shared, edge) in self.edges.iter_mut().zip(&own.polytope.edges) {
            let [Some(i), Some(j)] = edge.vertices.map(|corner| known[corner]) else { continue };
            *shared |= earlier.polytope.edges.iter().any(|other| other.vertices == [i.min(j), i.max(j)]);
        }
    }

    /// Whether an earlier part has a corner, too.
    pub fn has_corner(&self, corner: usize) -> bool {
        self.corners.get(corner).is_some_and(|shared| *shared)
    }

    /// Whether an earlier part has an edge, too.
    pub fn has_edge(&self, edge: usize) -> bool {
        self.edges.get(edge).is_some_and(|shared| *shared)
    }
}

impl<'a> InBody<'a> {
    fn of(part: &'a Part) -> Option<Self> {
        let Shape::Polytope(polytope) = &part.shape else { return None };
        let Pose { position, orientation } = &part.pose;
        let corners = polytope.vertices.iter().map(|corner| position + orientation * corner);
        Some(Self { polytope, center: *position, corners: corners.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use std::sync::Arc;

    fn boxes(all: &[([f64; 3], [f64; 3])]) -> Vec<SharedFeatures> {
        let part = |(half, at): &([f64; 3], [f64; 3])| {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI);
            let pose = Pose { position: Vector3::from(*at), orientation: turn };
            Part { pose, ..Part::new(Shape::Polytope(Arc::new(Polytope::box_(Vector3::from(*half))))) }
        };
        SharedFeatures::of(&all.iter().map(part).collect::<Vec<_>>())
    }

    fn counts(of: &SharedFeatures) -> [usize; 2] {
        [&of.corners, &of.edges].map(|all| all.iter().filter(|shared| **shared).count())
    }

    /// Of two boxes face to face the second has four corners and the edges between them in common with the
    /// first, and so has a third one with the second. A lower box has none, and of two that meet at a corner
    /// the second has that.
    #[test]
    fn the_first_of_two_parts_has_their_common_corners_and_edges() {
        let side = [0.5; 3];
        let row = boxes(&[(side, [0.0; 3]), (side, [1.0, 0.0, 0.0]), (side, [1.0, 1.0, 0.0])]);
        assert_eq!(row.iter().map(counts).collect::<Vec<_>>(), [[0, 0], [4, 4], [4, 4]]);
        let lower = boxes(&[(side, [0.0; 3]), ([0.5, 0.5, 0.3], [1.0, 0.0, 0.0])]);
        assert_eq!(counts(&lower[1]), [0, 0]);
        let corner = boxes(&[(side, [0.0; 3]), (side, [1.0, 1.0, 1.0])]);
        assert_eq!(counts(&corner[1]), [1, 0]);
    }
}
