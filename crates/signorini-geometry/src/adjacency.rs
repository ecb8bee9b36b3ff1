//! Adjacency of the vertices, edges and faces of a polytope, and the farthest vertex along a direction by a
//! walk over them.
//!
//! The support width n·v has no local maximum over the vertices of a convex body but the largest. A walk to
//! ever farther neighbours finds it, from a vertex that is farthest along a direction nearby: one for every
//! cell of a cube map.

use nalgebra::Vector3;

/// Lists of indices, one after another.
#[derive(Debug, Clone, Default)]
struct IndexLists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl IndexLists {
    /// Makes the lists from pairs (list, item), in the order of the items of each list.
    fn new(n_lists: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut start = vec![0_u32; n_lists + 1];
        pairs.clone().for_each(|(list, _)| start[list + 1] += 1);
        (0..n_lists).for_each(|i| start[i + 1] += start[i]);
        let mut next = start.clone();
        let mut items = vec![0; start[n_lists] as usize];
        for (list, item) in pairs {
            items[next[list] as usize] = item as u32;
            next[list] += 1;
        }
        Self { start, items }
    }

    fn of(&self, list: usize) -> impl Iterator<Item = usize> + '_ {
        let items = &self.items[self.start[list] as usize..self.start[list + 1] as usize];
        items.iter().map(|i| *i as usize)
    }
}

/// Vertices, edges and faces around each vertex, and the vertices where walks start.
#[derive(Debug, Clone, Default)]
pub struct Adjacency {
    vertices: IndexLists,
    edges: IndexLists,
    faces: IndexLists,
    /// Cells along each side of a face of the cube map.
    side: usize,
    /// A far vertex along the middle of each cell.
    starts: Vec<u32>,
}

impl Adjacency {
    /// The adjacency of a closed surface, from the ends of its edges and the corners of its faces.
    pub(super) fn new<'a>(
        vertices: &[Vector3<f64>],
        edges: impl Iterator<Item = [usize; 2]> + Clone,
        faces: impl Iterator<Item = &'a [usize]> + Clone,
    ) -> Self {
        let n = vertices.len();
        let ends = edges.clone().enumerate().flat_map(|(i, ends)| ends.map(|v| (v, i)));
        let beside = edges.flat_map(|[from, to]| [(from, to), (to, from)]);
        let around = faces.enumerate().flat_map(|(i, corners)| corners.iter().map(move |v| (*v, i)));
        let side = ((n as f64 / 24.0).sqrt().ceil() as usize).max(1);
        let mut found = Self {
            vertices: IndexLists::new(n, beside),
            edges: IndexLists::new(n, ends),
            faces: IndexLists::new(n, around),
            side,
            starts: Vec::with_capacity(6 * side * side),
        };
        let mut last = 0;
        for cell in 0..6 * side * side {
            last = found.walk(vertices, last, &middle(cell, side));
            found.starts.push(last as u32);
        }
        found
    }

    /// The edges that end at a vertex, ascending.
    pub fn edges_at(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges.of(vertex)
    }

    /// The faces with a vertex as a corner, ascending.
    pub fn faces_at(&self, vertex: usize) -> impl Iterator<Item = usize> + '_ {
        self.faces.of(vertex)
    }

    /// A vertex that no other exceeds along a direction.
    pub(super) fn farthest(&self, vertices: &[Vector3<f64>], direction: &Vector3<f64>) -> usize {
        self.walk(vertices, self.starts[cell_of(direction, self.side)] as usize, direction)
    }

    fn walk(&self, vertices: &[Vector3<f64>], from: usize, direction: &Vector3<f64>) -> usize {
        let (mut at, mut reach) = (from, direction.dot(&vertices[from]));
        loop {
            let before = at;
            for next in self.vertices.of(before) {
                let there = direction.dot(&vertices[next]);
                if there > reach {
                    (at, reach) = (next, there);
                }
            }
            if at == before {
                return at;
            }
        }
    }
}

/// The cell of a cube map of 6 side² cells in which a direction lies.
fn cell_of(direction: &Vector3<f64>, side: usize) -> usize {
    let axis = direction.iamax();
    let depth = direction[axis].abs().max(f64::MIN_POSITIVE);
    let face = 2 * axis + usize::from(direction[axis] < 0.0);
    let place = |k: usize| {
        let part = 0.5 * (direction[k] / depth + 1.0);
        ((part * side as f64) as usize).min(side - 1)
    };
    (face * side + place((axis + 1) % 3)) * side + place((axis + 2) % 3)
}

/// The direction through the middle of a cell.
fn middle(cell: usize, side: usize) -> Vector3<f64> {
    let (face, u, v) = (cell / (side * side), cell / side % side, cell % side);
    let axis = face / 2;
    let along = |k: usize| 2.0 * (k as f64 + 0.5) / side as f64 - 1.0;
    let mut direction = Vector3::zeros();
    direction[axis] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    direction[(axis + 1) % 3] = along(u);
    direction[(axis + 2) % 3] = along(v);
    direction
}
