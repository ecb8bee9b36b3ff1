//! Pieces of a surface that hang together by sides of triangles.

use super::triangles::Surface;
use nalgebra::Vector3;

/// The pieces of a surface, and which of them are closed and look out of a solid of their own.
#[derive(Debug)]
pub struct Pieces {
    of: Vec<usize>,
    is_solid: Vec<bool>,
}

impl Pieces {
    /// The pieces of a surface whose triangles have these neighbours.
    pub fn of(surface: &Surface, beside: &[[Option<usize>; 3]]) -> Self {
        let mut of = vec![usize::MAX; surface.triangles.len()];
        let mut is_solid = Vec::new();
        let mut open = Vec::new();
        for start in 0..of.len() {
            if of[start] != usize::MAX {
                continue;
            }
            let origin = surface.corners(start)[0];
            let (mut volume, mut closed) = (0.0, true);
            open.push(start);
            of[start] = is_solid.len();
            while let Some(t) = open.pop() {
                volume += six_volumes(&surface.corners(t).map(|p| p - origin));
                for other in beside[t] {
                    closed &= other.is_some();
                    if let Some(other) = other.filter(|other| of[*other] == usize::MAX) {
                        of[other] = is_solid.len();
                        open.push(other);
                    }
                }
            }
            is_solid.push(closed && volume > 0.0);
        }
        Self { of, is_solid }
    }

    /// Whether a triangle bounds the solid behind another. Where both are of solids of their own, what is in
    /// one of the solids is in their union, wherever the triangles of the other lie.
    pub fn bounds(&self, other: usize, behind: usize) -> bool {
        let [a, b] = [other, behind].map(|t| self.of[t]);
        a == b || !(self.is_solid[a] && self.is_solid[b])
    }
}

fn six_volumes([a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    a.dot(&b.cross(c))
}
