//! How two bodies touch: at a point, along a line or over a surface, and how many facets of either are active there.

use super::features::Feature;
use super::parts::Part;
use super::{BodyModel, Pair};
use crate::geometry::Shape;
use crate::scene::ContactKind;
use nalgebra::Vector3;

/// Atoms that are open by this part of the size more than the lowest touch too, and points nearer to each other are one.
const TOUCHING: f64 = 1e-7;

/// What touches at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Point, line or surface.
    pub kind: ContactKind,
    /// Atoms that touch.
    pub atoms: usize,
    /// Facets f_i ≤ 0 of A and of B that hold with equality over all of the patch: of a box 3 at a corner, 2 along an edge,
    /// 1 on a face; a cylinder has its side and two caps.
    pub active_facets: [usize; 2],
}

impl Default for Touch {
    /// Two smooth surfaces.
    fn default() -> Self {
        Self { kind: ContactKind::Point, atoms: 1, active_facets: [1, 1] }
    }
}

/// What touches in a pair as last evaluated.
pub fn touch(pair: &Pair, a: &BodyModel, b: &BodyModel) -> Touch {
    let Some(patch) = &pair.patch else {
        let count = |model: &BodyModel| n_active(&model.shape, || std::iter::once(pair.part));
        return Touch { active_facets: [count(a), count(b)], ..Touch::default() };
    };
    let size = a.smaller_size(b);
    let lowest = patch.atoms.iter().map(|atom| atom.geometry.gap).fold(f64::INFINITY, f64::min);
    let is_touching = |gap: f64| gap <= lowest + TOUCHING * size;
    let touching = || patch.atoms.iter().filter(|atom| atom.exerts() && is_touching(atom.geometry.gap));
    let of_a = || touching().map(|atom| parts_of(&atom.feature).0);
    let of_b = || touching().map(|atom| parts_of(&atom.feature).1);
    Touch {
        kind: kind_of(|| touching().map(|atom| atom.geometry.arm_b), TOUCHING * size),
        atoms: touching().count(),
        active_facets: [n_active(&a.shape, of_a), n_active(&b.shape, of_b)],
    }
}

/// The dimension that points span, those within `near` of each other being one.
fn kind_of<I: Iterator<Item = Vector3<f64>>>(points: impl Fn() -> I, near: f64) -> ContactKind {
    let Some(first) = points().next() else { return ContactKind::Point };
    let arms = || points().map(|p| p - first);
    let far = arms().max_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared())).unwrap_or_default();
    let Some(along) = far.try_normalize(near) else { return ContactKind::Point };
    let width = arms().map(|arm| along.cross(&arm).norm()).fold(0.0, f64::max);
    if width <= near { ContactKind::Line } else { ContactKind::Surface }
}

fn parts_of(feature: &Feature) -> (Part, Part) {
    match *feature {
        Feature::FaceVertex(face, vertex) => (Part::Face(face), Part::Vertex(vertex)),
        Feature::VertexFace(vertex, face) => (Part::Vertex(vertex), Part::Face(face)),
        Feature::Edges(i, j) | Feature::FacePoint(_, (i, j), _) | Feature::PointFace(_, (i, j), _) => {
            (Part::Edge(i), Part::Edge(j))
        }
        Feature::Parts(of_a, of_b) => (of_a, of_b),
    }
}

/// Facets that are active at all of some parts of a shape.
fn n_active<I: Iterator<Item = Part>>(shape: &Shape, parts: impl Fn() -> I) -> usize {
    let n_facets = match shape {
        Shape::Polytope(p) => p.faces.len(),
        Shape::Cylinder { .. } => 3,
        _ => return 1,
    };
    (0..n_facets).filter(|facet| parts().all(|part| is_active(shape, *facet, &part))).count()
}

/// Facets of a cylinder: the side, the upper cap, the lower cap.
fn is_active(shape: &Shape, facet: usize, part: &Part) -> bool {
    let cap = |up: bool| if up { 1 } else { 2 };
    match (shape, *part) {
        (Shape::Polytope(p), Part::Vertex(vertex)) => p.faces[facet].vertices.contains(&vertex),
        (Shape::Polytope(p), Part::Edge(edge)) => p.edges[edge].faces.contains(&facet),
        // Points of edges are named after them, two to an edge.
        (Shape::Polytope(p), Part::Point(_, name)) => p.edges[name / 2].faces.contains(&facet),
        (Shape::Polytope(_), Part::Face(face)) => facet == face,
        (_, Part::Side | Part::Ring(..)) => facet == 0,
        (_, Part::Cap(up)) => facet == cap(up),
        (_, Part::Rim(up) | Part::RimPoint(up, _)) => facet == 0 || facet == cap(up),
        (_, Part::Point(point, _)) => facet == 0 || facet == cap(point.z > 0.0),
        _ => facet == 0,
    }
}
