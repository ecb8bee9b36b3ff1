//! Convex polytopes: corners, polygonal faces and edges, with exact volume and second moments.

use super::adjacency::Adjacency;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Most vertices among which the farthest one is found by comparing all.
const FEW_VERTICES: usize = 32;

/// A solid convex polytope in its shape frame, whose origin is its own centre of mass.
///
/// Built by [`Polytope::box_`] or `Polytope::hull`: faces are maximal polygons, so that no
/// two neighbours lie in one plane, and every vertex is a corner of at least three of them. The order of
/// vertices, faces and edges depends on the order of the points alone.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Polytope {
    /// Corners (m), in the order of the points that they were built from.
    pub vertices: Vec<Vector3<f64>>,
    /// Faces, sorted by their lists of vertices.
    pub faces: Vec<Face>,
    /// Edges, sorted by their vertices.
    pub edges: Vec<Edge>,
    /// Volume (m³).
    pub volume: f64,
    /// ∫ x xᵀ dV about the origin, shape frame (m⁵).
    pub second_moment: Matrix3<f64>,
    /// Largest distance of a vertex from the origin (m).
    pub radius: f64,
    /// Mean half edge of the box with the same second moments (m): for a box the mean of its half extents.
    pub size: f64,
    #[serde(skip)]
    around: AdjacencyCache,
}

/// Adjacency of the vertices, found when it is first asked for. It follows from the rest and makes no
/// difference.
#[derive(Debug, Clone, Default)]
struct AdjacencyCache(OnceLock<Adjacency>);

impl PartialEq for AdjacencyCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One polygon of the boundary.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Face {
    /// Outer unit normal n.
    pub normal: Vector3<f64>,
    /// n·x on the face (m): the largest over the vertices, so that rounding leaves none outside.
    pub offset: f64,
    /// Vertices, counter-clockwise seen from outside, the smallest index first.
    pub vertices: Vec<usize>,
    /// Edge from each of the vertices to the next.
    pub edges: Vec<usize>,
}

/// One edge of the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edge {
    /// Its ends, the smaller index first.
    pub vertices: [usize; 2],
    /// The face in which the edge runs from the first to the second vertex, and the other one.
    pub faces: [usize; 2],
}

/// Volume, first and second moments of a solid: ∫ dV, ∫ x dV, ∫ x xᵀ dV.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    pub(super) volume: f64,
    pub(super) first: Vector3<f64>,
    pub(super) second: Matrix3<f64>,
}

impl Moments {
    pub(super) fn zero() -> Self {
        Self { volume: 0.0, first: Vector3::zeros(), second: Matrix3::zeros() }
    }
}

impl Polytope {
    /// The box { |x_i| ≤ half_extents_i }. Exact: its vertices are ± the half extents (m, > 0), its normals
    /// the axes.
    pub fn box_(half_extents: Vector3<f64>) -> Self {
        let h = half_extents;
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vector3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)
        };
        let cycles = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Self::assemble((0..8).map(corner).collect(), cycles.iter().map(|c| c.to_vec()).collect())
            .expect("the twelve edges of a box match")
    }

    /// The half extents, if this is a box along the axes of the shape frame.
    pub fn half_extents(&self) -> Option<Vector3<f64>> {
        let h = self.vertices.first().filter(|_| self.vertices.len() == 8)?.abs();
        let is_box = h.min() > 0.0 && *self == Self::box_(h);
        is_box.then_some(h)
    }

    /// Half extents (m, in no order) of the box with the same volume-averaged second moments.
    pub fn equivalent_box(&self) -> Vector3<f64> {
        // A box with half extents h has second moments V h²/3 along its axes.
        let principal = self.second_moment.symmetric_eigenvalues();
        principal.map(|s| (3.0 * s.max(0.0) / self.volume).sqrt())
    }

    /// Vertices, edges and faces around each vertex.
    pub fn adjacency(&self) -> &Adjacency {
        self.around.0.get_or_init(|| {
            let corners = self.faces.iter().map(|face| face.vertices.as_slice());
            Adjacency::new(&self.vertices, self.edges.iter().map(|edge| edge.vertices), corners)
        })
    }

    /// Index of a vertex that is farthest along `direction`, of few vertices the first of several.
    pub fn support(&self, direction: &Vector3<f64>) -> usize {
        if self.vertices.len() > FEW_VERTICES {
            return self.adjacency().farthest(&self.vertices, direction);
        }
        let (mut best, mut farthest) = (0, f64::NEG_INFINITY);
        for (i, vertex) in self.vertices.iter().enumerate() {
            let reach = direction.dot(vertex);
            if reach > farthest {
                (best, farthest) = (i, reach);
            }
        }
        best
    }

    /// Of the faces around a vertex, the one whose normal points most along `direction`.
    pub fn face_at(&self, vertex: usize, direction: &Vector3<f64>) -> Option<usize> {
        let around = self.adjacency().faces_at(vertex).map(|f| (f, self.faces[f].normal.dot(direction)));
        around.max_by(|(_, along), (_, other)| along.total_cmp(other)).map(|(face, _)| face)
    }

    /// The polytope with all lengths multiplied by `factor` > 0.
    pub fn scaled(&self, factor: f64) -> Self {
        let vertices = self.vertices.iter().map(|v| v * factor).collect();
        let cycles = self.faces.iter().map(|f| f.vertices.clone()).collect();
        // Built anew, so that reading the vertices gives the same bits. A factor that flattens the polytope
        // leaves it as it is.
        Self::assemble(vertices, cycles).unwrap_or_else(|| self.clone())
    }

    /// Vertices and the cycles of the faces (counter-clockwise from outside, in any order), put in order and
    /// measured. None when the cycles don't close a surface.
    pub(super) fn assemble(vertices: Vec<Vector3<f64>>, mut cycles: Vec<Vec<usize>>) -> Option<Self> {
        for cycle in &mut cycles {
            let first = (0..cycle.len()).min_by_key(|i| cycle[*i])?;
            cycle.rotate_left(first);
        }
        cycles.sort_unstable();
        let edges = edges_of(&cycles)?;
        if vertices.len() + cycles.len() != edges.len() + 2 {
            return None;
        }
        let mut faces = Vec::with_capacity(cycles.len());
        for cycle in cycles {
            let normal = area_vector(&vertices, &cycle).try_normalize(0.0)?;
            let sides = (0..cycle.len()).map(|k| (cycle[k], cycle[(k + 1) % cycle.len()]));
            let edge = |(i, j): (usize, usize)| {
                edges.binary_search_by_key(&[i.min(j), i.max(j)], |e: &Edge| e.vertices).ok()
            };
            let sides = sides.map(edge).collect::<Option<Vec<usize>>>()?;
            let mut face = Face { normal, offset: 0.0, vertices: cycle, edges: sides };
            face.offset = largest_offset(&vertices, &face);
            faces.push(face);
        }
        let mut polytope = Self {
            vertices,
            faces,
            edges,
            volume: 0.0,
            second_moment: Matrix3::zeros(),
            radius: 0.0,
            size: 0.0,
            around: AdjacencyCache::default(),
        };
        polytope.measure();
        Some(polytope)
    }

    /// Computes all fields that follow from vertices and faces.
    fn measure(&mut self) {
        let moments = self.moments();
        self.volume = moments.volume;
        self.second_moment = moments.second;
        self.radius = self.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
        self.size = self.equivalent_box().mean();
    }

    /// ∫ x dV / V (m): the origin but for rounding, once the polytope is built.
    pub(super) fn centroid(&self) -> Vector3<f64> {
        let moments = self.moments();
        moments.first / moments.volume
    }

    /// Moments about the origin, summed over the tetrahedra between the origin and the triangles of the
    /// faces.
    fn moments(&self) -> Moments {
        let mut sum = Moments::zero();
        for face in &self.faces {
            let first = self.vertices[face.vertices[0]];
            for side in face.vertices[1..].windows(2) {
                add_tetrahedron(&mut sum, &first, &self.vertices[side[0]], &self.vertices[side[1]]);
            }
        }
        sum
    }
}

/// Adds the tetrahedron (0, a, b, c), with the sign of its volume a·(b × c)/6:
/// ∫ x dV = V (a + b + c)/4, ∫ x xᵀ dV = V/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ) with s = a + b + c.
pub(super) fn add_tetrahedron(sum: &mut Moments, a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) {
    let volume = a.dot(&b.cross(c)) / 6.0;
    let s = a + b + c;
    sum.volume += volume;
    sum.first += s * (volume / 4.0);
    let squares = s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
    sum.second += squares * (volume / 20.0);
}

/// Twice the area of a polygon times its normal, by triangles about its first vertex.
pub(super) fn area_vector(vertices: &[Vector3<f64>], cycle: &[usize]) -> Vector3<f64> {
    let first = vertices[cycle[0]];
    let arm = |i: usize| vertices[i] - first;
    cycle[1..].windows(2).map(|side| arm(side[0]).cross(&arm(side[1]))).sum()
}

fn largest_offset(vertices: &[Vector3<f64>], face: &Face) -> f64 {
    face.vertices.iter().map(|v| face.normal.dot(&vertices[*v])).fold(f64::NEG_INFINITY, f64::max)
}

/// The edges between the faces; None unless every side of a face has exactly one partner that runs the other
/// way.
fn edges_of(cycles: &[Vec<usize>]) -> Option<Vec<Edge>> {
    let mut sides = BTreeMap::new();
    for (face, cycle) in cycles.iter().enumerate() {
        for (k, &from) in cycle.iter().enumerate() {
            let to = cycle[(k + 1) % cycle.len()];
            if sides.insert((from, to), face).is_some() {
                return None;
            }
        }
    }
    let mut edges = Vec::with_capacity(sides.len() / 2);
    for (&(from, to), &face) in &sides {
        let other = *sides.get(&(to, from))?;
        if from < to {
            edges.push(Edge { vertices: [from, to], faces: [face, other] });
        }
    }
    Some(edges)
}
