//! Faces of cells that are faces of their surface.

use super::topology::Topology;
use super::triangles::Surface;
use crate::Polytope;
use crate::exposure::{Exposed, Exposure, NeighbourFace};
use crate::polytope::Face;
use nalgebra::Vector3;

/// Planes whose normals differ by less are one: a flat surface has one normal.
const SAME_NORMAL: f64 = 1e-9;

/// Role of a face of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Triangle,
    Back,
    /// Behind the side of the triangle from its corner k to the next.
    Side(usize),
}

fn role(face: &Face) -> Role {
    let is_above = |v: &usize| *v < 3;
    if face.vertices.iter().all(is_above) {
        return Role::Triangle;
    }
    if !face.vertices.iter().any(is_above) {
        return Role::Back;
    }
    // Of the three corners one has nothing to do with a side.
    let has = |k: usize| face.vertices.iter().any(|v| v % 3 == k);
    Role::Side((0..3).find(|k| !has((k + 2) % 3)).unwrap_or(0))
}

impl Surface {
    /// Exposed faces of each cell; the cells are given with their centres. A surface whose triangles do not
    /// fit has none.
    pub fn exposed(&self, cells: &[(&Polytope, Vector3<f64>)]) -> Vec<Exposed> {
        let Ok(topology) = Topology::of(self) else { return vec![Exposed::default(); cells.len()] };
        let mut at = vec![Vec::new(); self.points.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            corners.iter().for_each(|v| at[*v].push(t));
        }
        let of_cell = |(t, (cell, center)): (usize, &(&Polytope, Vector3<f64>))| {
            let mut around: Vec<usize> = self.triangles[t]
                .iter()
                .flat_map(|v| at[*v].iter().copied())
                .filter(|other| *other != t)
                .collect();
            around.sort_unstable();
            around.dedup();
            let faces = cell.faces.iter().map(|face| match role(face) {
                Role::Side(k) if topology.beside[t][k].is_some() => Exposure::Covered,
                _ => Exposure::Whole,
            });
            let faces: Vec<Exposure> = faces.collect();
            if faces.iter().all(|face| *face == Exposure::Whole) {
                return Exposed::default();
            }
            let mut beside: Vec<NeighbourFace> = Vec::new();
            let own = self.normal(t);
            for other in around {
                let (neighbour, place) = &cells[other];
                for face in &neighbour.faces {
                    let counts = match role(face) {
                        Role::Triangle => (face.normal - own).norm() > SAME_NORMAL,
                        Role::Side(k) => topology.beside[other][k].is_none(),
                        Role::Back => false,
                    };
                    if counts {
                        let corners = face.vertices.iter().map(|v| neighbour.vertices[*v] + place - center);
                        add(&mut beside, face.normal, corners.collect());
                    }
                }
            }
            Exposed { faces, beside }
        };
        cells.iter().enumerate().map(of_cell).collect()
    }
}

/// A polygon among those of its plane.
fn add(beside: &mut Vec<NeighbourFace>, normal: Vector3<f64>, polygon: Vec<Vector3<f64>>) {
    let offset = normal.dot(&polygon[0]);
    let size = (polygon[1] - polygon[0]).norm();
    let known = beside.iter_mut().find(|known| {
        (known.normal - normal).norm() <= SAME_NORMAL && (known.offset - offset).abs() <= SAME_NORMAL * size
    });
    match known {
        Some(NeighbourFace { exposure: Exposure::Pieces(pieces), .. }) => pieces.push(polygon),
        _ => beside.push(NeighbourFace { normal, offset, exposure: Exposure::Pieces(vec![polygon]) }),
    }
}
