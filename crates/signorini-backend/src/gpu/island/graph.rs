//! Gather lists of an island: contacts of each body, in a fixed order.

use signorini_kernels::types::PairKey;
use signorini_ncp::linalg::{BlockPattern, CompressedBlocks};

/// Gather lists of an island.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    /// Pattern of the Newton matrix.
    pub pattern: CompressedBlocks,
    /// First term of each body: body i gathers the terms `body_start[i]..body_start[i + 1]`.
    pub body_start: Vec<u32>,
    /// Terms of the bodies, each (2 contact + side, other body), sorted by the other body like the blocks of
    /// the body's rows; those without unknowns come last.
    pub body_terms: Vec<[u32; 2]>,
}

impl Graph {
    /// Makes the lists of contacts between bodies, the first `n_moving` of which have unknowns.
    pub fn new(keys: &[PairKey], n_moving: usize) -> Self {
        let moving = |body: u32| (body as usize) < n_moving;
        let pairs = keys.iter().filter(|k| moving(k.body_a) && moving(k.body_b));
        let pattern = BlockPattern::new(n_moving, pairs.map(|k| (k.body_a as usize, k.body_b as usize)));
        let mut graph = Self::default();
        graph.pattern.analyse(&pattern);
        let mut of_body = vec![Vec::new(); n_moving];
        for (c, key) in keys.iter().enumerate() {
            let bodies = [key.body_a, key.body_b];
            for p in (0..2).filter(|p| moving(bodies[*p])) {
                of_body[bodies[p] as usize].push([(2 * c + p) as u32, bodies[1 - p]]);
            }
        }
        graph.body_start.push(0);
        for mut terms in of_body {
            // Contacts with one body keep their order.
            terms.sort_by_key(|[_, other]| *other);
            graph.body_terms.extend(terms);
            graph.body_start.push(graph.body_terms.len() as u32);
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bodies on a fixed one touch each other.
    #[test]
    fn bodies_gather_contacts_in_the_order_of_their_blocks() {
        let key = |body_a, body_b| PairKey { body_a, body_b, flags: 0 };
        let graph = Graph::new(&[key(2, 0), key(0, 1), key(2, 1), key(1, 0)], 2);
        assert_eq!((&*graph.pattern.start, &*graph.pattern.column), (&[0, 2, 4][..], &[0, 1, 0, 1][..]));
        assert_eq!(graph.body_start, [0, 3, 6]);
        assert_eq!(graph.body_terms, [[2, 1], [7, 1], [1, 2], [3, 0], [6, 0], [5, 2]]);
    }
}
