//! Made-up pairs for measurements: ellipsoids about to touch, as they lie in a pile.

use super::{Batch, IslandData};
use crate::kernels::body_momentum::BODY;
use crate::kernels::smooth_pair::Ellipsoid;
use crate::kernels::types::{BodyState, ContactLawState, PairKey, PairState, nine, six};
use crate::linalg::BLOCK_LEN;
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// `n` loaded pairs of bodies i and i + 1 (semi-axes 0.10, 0.07, 0.05 m) with friction and torsion, up to 1
/// mm apart; the start normal is off by as much as a step turns it. The same for the same n.
pub fn sample_batch(n: usize) -> Batch {
    let mut random = Pcg64::seed_from_u64(1);
    let mut next = move || random.random_range(-1.0..1.0);
    let mut batch = Batch { time_step: 0.005, ..Batch::default() };
    let mut shapes = Vec::with_capacity(n + 1);
    for _ in 0..=n {
        let rotation = Rotation3::new(Vector3::new(next(), next(), next()) * 3.0).into_inner();
        let shape = Ellipsoid::new(Vector3::zeros(), &rotation, &Vector3::new(0.10, 0.07, 0.05));
        batch.bodies.push(BodyState {
            center: [0.0; 3],
            q: six(&shape.q),
            velocity: [next(), next(), next()],
            spin: [next(), next(), next()],
            turn: nine(&Matrix3::identity()),
        });
        shapes.push(shape);
    }
    let flags = PairKey::LOADED | PairKey::FRICTION | PairKey::TORSION;
    for i in 0..n {
        let normal = Vector3::new(next(), next(), next()).normalize();
        let reach = shapes[i].support(&normal).1 + shapes[i + 1].support(&normal).1;
        let start = (normal + Vector3::new(next(), next(), next()) * 0.02).normalize();
        let tangent = normal.cross(&Vector3::new(next(), next(), next())).normalize();
        batch.keys.push(PairKey { body_a: i as u32, body_b: i as u32 + 1, flags });
        batch.pairs.push(PairState {
            offset: (reach + normal * (5e-4 * (1.0 + next()))).into(),
            start: start.into(),
            frame_normal: normal.into(),
            frame_tangent: tangent.into(),
            direction: [0.0; 3],
            height: [0.0],
            scale: [1.0, 1.0, 0.02],
            impulse: [0.05, 0.01 * next(), 0.01 * next(), 0.01 * next()],
        });
    }
    batch
}

/// The bodies of such pairs as an island: 1 kg each, at rest, with the impulses of the pairs.
pub fn sample_island(batch: &Batch) -> IslandData {
    let (n, identity) = (batch.bodies.len(), Matrix6::<f64>::identity());
    let mut island = IslandData { n_moving: n, ..IslandData::default() };
    for _ in 0..n {
        island.bodies.extend(identity.iter().chain(&[0.0; BODY - BLOCK_LEN]));
        island.inverse.extend(identity.iter());
    }
    island.contacts.extend(batch.pairs.iter().map(|pair| ContactLawState {
        centre: pair.impulse,
        friction_coefficient: [0.5],
        ..ContactLawState::filled(0.0)
    }));
    island
}

/// Contacts in a chain, each between a body and the next: rows of three blocks, and which contacts reach each
/// of them.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    /// Blocks of row i: `start[i]..start[i + 1]`…
    pub start: Vec<u32>,
    /// …in these columns.
    pub column: Vec<u32>,
    /// Place of each block among the diagonal ones plus 1, or 0.
    pub diagonal: Vec<u32>,
    /// Terms of block k: `term_start[k]..term_start[k + 1]`…
    pub term_start: Vec<u32>,
    /// …each 4 contact + 2 side of the row + side of the column.
    pub terms: Vec<u32>,
    /// The same by bodies: the blocks of row i gather `body_start[i]..body_start[i + 1]`…
    pub body_start: Vec<u32>,
    /// …each (2 contact + side, other body).
    pub body_terms: Vec<[u32; 2]>,
}

impl Chain {
    /// Of n contacts and as many bodies. Contact c lies between bodies c and c + 1; the last body's own is
    /// with nothing.
    pub fn new(n: usize) -> Self {
        let zero = || vec![0];
        let mut chain = Self { start: zero(), term_start: zero(), body_start: zero(), ..Self::default() };
        for i in 0..n as u32 {
            for j in i.saturating_sub(1)..=(i + 1).min(n as u32 - 1) {
                chain.column.push(j);
                chain.diagonal.push(if i == j { i + 1 } else { 0 });
                match i.cmp(&j) {
                    std::cmp::Ordering::Equal => {
                        chain.terms.push(4 * i);
                        chain.terms.extend((i > 0).then(|| 4 * (i - 1) + 3));
                    }
                    std::cmp::Ordering::Less => chain.terms.push(4 * i + 1),
                    std::cmp::Ordering::Greater => chain.terms.push(4 * j + 2),
                }
                chain.term_start.push(chain.terms.len() as u32);
            }
            chain.start.push(chain.column.len() as u32);
            chain.body_terms.extend((i > 0).then(|| [2 * (i - 1) + 1, i - 1]));
            chain.body_terms.push([2 * i, i + 1]);
            chain.body_start.push(chain.body_terms.len() as u32);
        }
        chain
    }

    /// Blocks of the matrix.
    pub fn n_blocks(&self) -> usize {
        self.column.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_chain_reach_two_bodies() {
        let chain = Chain::new(3);
        assert_eq!(chain.start, [0, 2, 5, 7]);
        assert_eq!(chain.column, [0, 1, 0, 1, 2, 1, 2]);
        assert_eq!(chain.diagonal, [1, 0, 0, 2, 0, 0, 3]);
        assert_eq!(chain.term_start, [0, 1, 2, 3, 5, 6, 7, 9]);
        assert_eq!(chain.terms, [0, 1, 2, 4, 3, 5, 6, 8, 7]);
        assert_eq!(chain.body_start, [0, 1, 3, 5]);
        assert_eq!(chain.body_terms, [[0, 1], [1, 0], [2, 2], [3, 1], [4, 3]]);
    }
}
