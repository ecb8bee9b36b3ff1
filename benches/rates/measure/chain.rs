//! A made-up contact graph: the pattern of the Newton matrix of a chain of bodies.

/// Contacts in a chain, each between a body and the next: rows of three blocks, and the contacts that add to
/// each block.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    /// First block of each row: row i has blocks `start[i]..start[i + 1]`.
    pub start: Vec<u32>,
    /// Column of each block.
    pub column: Vec<u32>,
    /// Place of each block among the diagonal ones plus 1, or 0.
    pub diagonal: Vec<u32>,
    /// First term of each block: block k has terms `term_start[k]..term_start[k + 1]`.
    pub term_start: Vec<u32>,
    /// Terms of the blocks, each 4 contact + 2 side of the row + side of the column.
    pub terms: Vec<u32>,
    /// First term of each body: the blocks of row i gather `body_start[i]..body_start[i + 1]`.
    pub body_start: Vec<u32>,
    /// Terms by bodies, each (2 contact + side, other body).
    pub body_terms: Vec<[u32; 2]>,
}

impl Chain {
    /// Makes a chain of n contacts and as many bodies. Contact c lies between bodies c and c + 1; the last
    /// contact has only one body.
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

    /// Number of blocks of the matrix.
    pub fn n_blocks(&self) -> usize {
        self.column.len()
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn links_of_a_chain_reach_two_bodies() {
        use super::*;
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
