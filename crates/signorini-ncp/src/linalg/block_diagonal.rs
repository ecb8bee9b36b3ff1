//! The diagonal blocks of a matrix of 6×6 blocks, inverted.

use super::{BLOCK, BLOCK_LEN};
use nalgebra::{Matrix6, Vector6};

/// Diagonal blocks with their inverses.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockDiagonal {
    inverse: Vec<Matrix6<f64>>,
}

impl BlockDiagonal {
    /// Takes over blocks, 36 numbers each by rows. False when one has no inverse.
    pub fn fill(&mut self, blocks: &[[f64; BLOCK_LEN]]) -> bool {
        self.inverse.clear();
        let inverses = blocks.iter().map_while(|block| Matrix6::from_row_slice(block).try_inverse());
        self.inverse.extend(inverses);
        self.inverse.len() == blocks.len()
    }

    /// Numbers of the inverses, 36 each.
    pub fn numbers(&self) -> Vec<f64> {
        self.inverse.iter().flatten().copied().collect()
    }

    /// Takes over numbers of so many inverses. False when there are more or fewer.
    pub fn set_numbers(&mut self, n: usize, numbers: &[f64]) -> bool {
        self.inverse.clear();
        self.inverse.extend(numbers.chunks_exact(BLOCK_LEN).map(Matrix6::from_column_slice));
        numbers.len() == n * BLOCK_LEN
    }

    /// x := D⁻¹ x.
    pub fn divide(&self, x: &mut [f64]) {
        for (x, inverse) in x.chunks_exact_mut(BLOCK).zip(&self.inverse) {
            let y = inverse * Vector6::from_column_slice(x);
            x.copy_from_slice(y.as_slice());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divided_is_what_the_blocks_multiplied() {
        let block = |k: usize| -> [f64; BLOCK_LEN] {
            std::array::from_fn(|i| ((i + 5 * k) as f64).sin() + if i % 7 == 0 { 9.0 } else { 0.0 })
        };
        let blocks = [block(0), block(1)];
        let mut diagonal = BlockDiagonal::default();
        assert!(diagonal.fill(&blocks));
        let x: Vec<f64> = (0..2 * BLOCK).map(|i| (i as f64).cos()).collect();
        let row = |r: usize| -> f64 {
            let (block, x) = (&blocks[r / BLOCK], &x[r / BLOCK * BLOCK..][..BLOCK]);
            (0..BLOCK).map(|c| block[r % BLOCK * BLOCK + c] * x[c]).sum()
        };
        let mut y: Vec<f64> = (0..2 * BLOCK).map(row).collect();
        diagonal.divide(&mut y);
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-14), "{y:?} instead of {x:?}");
        let mut again = BlockDiagonal::default();
        assert!(again.set_numbers(2, &diagonal.numbers()) && again == diagonal);
        assert!(!again.set_numbers(3, &diagonal.numbers()), "one is missing");
        assert!(!diagonal.fill(&[blocks[0], [0.0; BLOCK_LEN]]), "no inverse");
    }
}
