//! The features of two bodies that touch along their separating axis.

use crate::contact::axis::curved_axis::Shortlist;
use crate::contact::axis::separating_axis::{
    AxisKind, RelativePolytope, Separation, loaded_axis, separation,
};
use crate::contact::clipping::curved::{touching_curved, touching_over};
use crate::contact::clipping::polytope::{ClipWorkspace, ManifoldMargin};
use crate::contact::exposed_axis::FaceAxis;
use crate::contact::facing::Facing;
use crate::contact::feature::{Cylinder, Feature};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::placed::Placed;
use nalgebra::Vector3;
use signorini_geometry::{Polytope, Shape};

/// Workspace of manifolds.
#[derive(Debug, Default)]
pub struct FeatureSearch {
    relative: RelativePolytope,
    clip: ClipWorkspace,
    pub(super) found: Vec<FeaturePair>,
    /// Contact points of the pair at the last refresh, as arms of B.
    pub(super) places: Vec<Vector3<f64>>,
}

/// Finds the separation of a flat pair, and the features that touch, left in `search`.
pub(super) fn face(
    query: &FeatureQuery<'_>,
    shortlist: &mut Shortlist,
    search: &mut FeatureSearch,
) -> Facing {
    let FeatureQuery { a, b, margin, side, loaded, .. } = *query;
    search.found.clear();
    if Cylinder::of(a).or(Cylinder::of(b)).is_some() {
        return touching_curved(query, shortlist, &mut search.found);
    }
    let Shape::Polytope(of_b) = &b.model.shape else {
        return Facing { normal: Vector3::z(), gap: f64::INFINITY, n_touching: 0 };
    };
    if let Some((n, offset)) = a.moved.plane {
        let height = |v: &Vector3<f64>| {
            n.dot(&(b.moved.position + b.moved.shape_origin + b.moved.shape_rotation * v)) - offset
        };
        let height = |v: usize| height(&of_b.vertices[v]);
        let gap = (0..of_b.vertices.len()).map(height).fold(f64::INFINITY, f64::min);
        let near = |v: &usize| height(*v) <= gap + margin;
        let vertices = (0..of_b.vertices.len()).filter(near);
        search.found.extend(vertices.map(|v| FeaturePair(Feature::Plane, Feature::Vertex(v))));
        return Facing { normal: n, gap, n_touching: search.found.len() };
    }
    let Shape::Polytope(of_a) = &a.model.shape else {
        return Facing { normal: Vector3::z(), gap: f64::INFINITY, n_touching: 0 };
    };
    search.place([a, b], of_b);
    let size = a.model.smaller_size(b.model);
    let side = side.map(|n| a.moved.shape_rotation.tr_mul(&n));
    let found = separation(of_a, of_b, &mut search.relative, size, side.as_ref());
    let found = loaded.map_or(found, |face| loaded_axis(found, face, [of_a, of_b], &search.relative, size));
    search.touching(query, [of_a, of_b], &found)
}

/// Finds the features that touch along the normal of a given face or cap, left in `search`.
pub(super) fn face_along(query: &FeatureQuery<'_>, axis: &FaceAxis, search: &mut FeatureSearch) -> Facing {
    let FeatureQuery { a, b, .. } = *query;
    search.found.clear();
    let (Shape::Polytope(of_a), Shape::Polytope(of_b), Feature::Face(face)) =
        (&a.model.shape, &b.model.shape, axis.feature)
    else {
        return touching_over(query, axis, &mut search.found);
    };
    search.place([a, b], of_b);
    let kind = if axis.is_of_b { AxisKind::FaceB(face) } else { AxisKind::FaceA(face) };
    let normal = a.moved.shape_rotation.tr_mul(&axis.normal);
    search.touching(query, [of_a, of_b], &Separation { gap: axis.gap, normal, axis: kind })
}

impl FeatureSearch {
    /// Places polytope B in the shape frame of A.
    fn place(&mut self, [a, b]: [&Placed<'_>; 2], of_b: &Polytope) {
        let to_a = a.moved.shape_rotation.transpose();
        let apart = a.way_to(b) + b.moved.shape_origin - a.moved.shape_origin;
        let boxes = a.model.half_extents.zip(b.model.half_extents).map(|(a, b)| [a, b]);
        self.relative.place(of_b, to_a * b.moved.shape_rotation, to_a * apart, boxes);
    }

    /// Finds the features of two placed polytopes that touch along an axis.
    fn touching(&mut self, query: &FeatureQuery<'_>, of: [&Polytope; 2], along: &Separation) -> Facing {
        let FeatureQuery { a, b, margin, .. } = *query;
        let reach = ManifoldMargin { size: a.model.smaller_size(b.model), margin };
        let is_last_resort = self.clip.touching(of, &self.relative, along, reach, &mut self.found);
        let n_touching = if is_last_resort { 0 } else { self.found.len() };
        Facing { normal: a.moved.shape_rotation * along.normal, gap: along.gap, n_touching }
    }
}
