//! The separating axis of polytopes with many faces: only faces and edges are tried that can separate better
//! than the best known face.
//!
//! A point w of B bounds the separation along the normal m of a face of A from above, m·w − offset ≥
//! separation(m). Between the normals m₁ and m₂ of an edge the bound is the larger of both, over the cosine
//! of half the angle between them where it is positive. Faces are tried best bound first, and the corner of B
//! that is lowest over each of them is one more such point.

use crate::contact::tolerances::EDGE_BOUND;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Polytope;

/// Number of pairs of edges up to which trying all costs less than ruling some out.
const FEW_EDGES: usize = 10_000;
/// Most points of the other body: with more of them many faces are as good as each other.
const MAX_SUPPORT_POINTS: usize = 64;

/// Whether the search pays off for two polytopes.
pub fn are_many(a: &Polytope, b: &Polytope) -> bool {
    a.edges.len() * b.edges.len() > FEW_EDGES
}

/// The faces of one polytope against points of the other.
#[derive(Debug, Default)]
pub struct FaceBounds {
    /// For each point of the other body the height over each face (m), one face after another.
    heights: Vec<f64>,
    /// Least height over each face (m).
    least: Vec<f64>,
}

impl FaceBounds {
    fn clear(&mut self, n_faces: usize) {
        self.heights.clear();
        self.least.clear();
        self.least.resize(n_faces, f64::INFINITY);
    }

    /// Adds a point of the other body, in the frame of this one.
    fn add_point(&mut self, p: &Polytope, point: &Vector3<f64>) {
        for (face, least) in p.faces.iter().zip(&mut self.least) {
            let height = face.normal.dot(point) - face.offset;
            self.heights.push(height);
            *least = least.min(height);
        }
    }

    /// Widest separation over the faces that are allowed, and its face; None if no face is allowed. `lowest`
    /// returns the point of the other body that is lowest against a direction.
    fn widest(
        &mut self,
        p: &Polytope,
        first: &Vector3<f64>,
        is_allowed: &dyn Fn(&Vector3<f64>) -> bool,
        lowest: &dyn Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Option<(f64, usize)> {
        self.clear(p.faces.len());
        self.add_point(p, &lowest(first));
        let mut open: Vec<usize> = (0..p.faces.len()).filter(|f| is_allowed(&p.faces[*f].normal)).collect();
        let mut best: Option<(f64, usize)> = None;
        for k in 0.. {
            let floor = best.map_or(f64::NEG_INFINITY, |b| b.0);
            open.retain(|f| self.least[*f] > floor);
            let next = open.iter().enumerate().max_by(|i, j| self.least[*i.1].total_cmp(&self.least[*j.1]));
            let Some((place, &face)) = next else { break };
            open.swap_remove(place);
            let point = lowest(&p.faces[face].normal);
            let gap = p.faces[face].normal.dot(&point) - p.faces[face].offset;
            if gap > floor {
                best = Some((gap, face));
            }
            if k < MAX_SUPPORT_POINTS {
                self.add_point(p, &point);
            }
        }
        best
    }

    /// Edges along which the bodies may be further apart than `widest` (m).
    fn edges<'a>(&'a self, p: &'a Polytope, widest: f64) -> impl Iterator<Item = usize> + 'a {
        let n = p.faces.len();
        (0..p.edges.len()).filter(move |e| {
            let faces = p.edges[*e].faces;
            let cosine = p.faces[faces[0]].normal.dot(&p.faces[faces[1]].normal);
            let half = (0.5 * (1.0 + cosine)).max(0.0).sqrt();
            self.heights.chunks_exact(n).all(|over| {
                let most = over[faces[0]].max(over[faces[1]]);
                most > widest.min(widest * half)
            })
        })
    }
}

/// B as seen from A's shape frame.
#[derive(Debug, Clone, Copy)]
pub struct RelativeView<'a> {
    /// Rotation from B's shape frame.
    pub rotation: &'a Matrix3<f64>,
    /// B's shape origin.
    pub origin: &'a Vector3<f64>,
    /// B's vertices.
    pub vertices: &'a [Vector3<f64>],
}

/// Workspace of the search.
#[derive(Debug, Default)]
pub struct ManyFaces {
    of_a: FaceBounds,
    of_b: FaceBounds,
    /// Edges of A and of B that may separate better than the faces.
    pub edges: [Vec<usize>; 2],
}

impl ManyFaces {
    /// Widest separation over the allowed faces of A and of B (m), each with its face; `edges` gets the edges
    /// that may separate better. `size` is a length of the pair; `is_allowed` decides on normals from A into
    /// B, in A's frame.
    pub fn faces(
        &mut self,
        [a, b]: [&Polytope; 2],
        view: &RelativeView<'_>,
        size: f64,
        is_allowed: &dyn Fn(&Vector3<f64>) -> bool,
    ) -> [Option<(f64, usize)>; 2] {
        let way = view.origin.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z);
        let to_b = |n: &Vector3<f64>| view.rotation.tr_mul(n);
        // Normals are in A's frame for `of_b`, in B's for `of_a`.
        let of_b = |n: &Vector3<f64>| view.vertices[b.support(&-to_b(n))];
        let of_a = |n: &Vector3<f64>| to_b(&(a.vertices[a.support(&-(view.rotation * n))] - view.origin));
        let outward = |n: &Vector3<f64>| is_allowed(&-(view.rotation * n));
        let found = [
            self.of_a.widest(a, &way, is_allowed, &of_b),
            self.of_b.widest(b, &-to_b(&way), &outward, &of_a),
        ];
        let best = found.iter().flatten().map(|f| f.0).fold(f64::NEG_INFINITY, f64::max);
        let widest = best + EDGE_BOUND * size;
        for (list, bounds, p) in [(0, &self.of_a, a), (1, &self.of_b, b)] {
            self.edges[list].clear();
            self.edges[list].extend(bounds.edges(p, widest));
        }
        found
    }
}
