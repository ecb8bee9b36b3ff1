//! Who gathers what: contacts of each body, and contacts of each block of the Newton matrix, in a fixed order.

use crate::kernels::types::PairKey;
use crate::linalg::{BlockPattern, CompressedBlocks};

/// Gather lists of an island.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// Pattern of the Newton matrix.
    pub pattern: CompressedBlocks,
    /// Place of each block among the diagonal ones plus 1, or 0.
    pub diagonal: Vec<u32>,
    /// Block k gathers the terms `block_start[k]..block_start[k + 1]`…
    pub block_start: Vec<u32>,
    /// …each 4 contact + 2 side of the row + side of the column.
    pub block_terms: Vec<u32>,
    /// Body i gathers the terms `body_start[i]..body_start[i + 1]`…
    pub body_start: Vec<u32>,
    /// …each (2 contact + side, other body).
    pub body_terms: Vec<[u32; 2]>,
}

impl Graph {
    /// Of contacts between bodies, the first `n_moving` of which have unknowns.
    pub fn new(keys: &[PairKey], n_moving: usize) -> Self {
        let moving = |body: u32| (body as usize) < n_moving;
        let pairs = keys.iter().filter(|k| moving(k.body_a) && moving(k.body_b));
        let pattern = BlockPattern::new(n_moving, pairs.map(|k| (k.body_a as usize, k.body_b as usize)));
        let mut graph = Self::default();
        graph.pattern.analyse(&pattern);
        let mut of_body = vec![Vec::new(); n_moving];
        let mut of_block = vec![Vec::new(); graph.pattern.column.len()];
        for (c, key) in keys.iter().enumerate() {
            let bodies = [key.body_a, key.body_b];
            for p in (0..2).filter(|p| moving(bodies[*p])) {
                of_body[bodies[p] as usize].push([(2 * c + p) as u32, bodies[1 - p]]);
                for q in (0..2).filter(|q| moving(bodies[*q])) {
                    let k = graph.pattern.find(bodies[p] as usize, bodies[q]);
                    of_block[k].push((4 * c + 2 * p + q) as u32);
                }
            }
        }
        graph.diagonal = vec![0; of_block.len()];
        for (i, k) in graph.pattern.diagonal.iter().enumerate() {
            graph.diagonal[*k as usize] = i as u32 + 1;
        }
        (graph.body_start, graph.body_terms) = flat(of_body);
        (graph.block_start, graph.block_terms) = flat(of_block);
        graph
    }
}

fn flat<T>(lists: Vec<Vec<T>>) -> (Vec<u32>, Vec<T>) {
    let mut start = vec![0];
    let mut all = Vec::new();
    for list in lists {
        all.extend(list);
        start.push(all.len() as u32);
    }
    (start, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bodies on a fixed one, touching each other.
    #[test]
    fn blocks_gather_the_contacts_that_reach_them() {
        let key = |body_a, body_b| PairKey { body_a, body_b, flags: 0 };
        let graph = Graph::new(&[key(0, 1), key(2, 0), key(2, 1)], 2);
        assert_eq!((&*graph.pattern.start, &*graph.pattern.column), (&[0, 2, 4][..], &[0, 1, 0, 1][..]));
        assert_eq!(graph.diagonal, [1, 0, 0, 2]);
        assert_eq!(graph.block_start, [0, 2, 3, 4, 6]);
        assert_eq!(graph.block_terms, [0, 4 + 3, 1, 2, 3, 8 + 3]);
        assert_eq!(graph.body_start, [0, 2, 4]);
        assert_eq!(graph.body_terms, [[0, 1], [3, 2], [1, 0], [5, 2]]);
    }
}
