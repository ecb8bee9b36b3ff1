//! Matrices of 6×6 blocks in compressed rows, and the interface of iterative solvers with them.

use super::{BLOCK, BLOCK_LEN, BlockPattern, UnsymmetricBlocks};
use nalgebra::{Matrix6, Vector6};
use signorini_kernels::block_product::block_product;
use std::fmt::Debug;

/// A matrix in compressed rows of blocks, and the inverses of its diagonal blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompressedBlocks {
    /// Row i holds the blocks `start[i]..start[i + 1]`.
    pub start: Vec<u32>,
    /// Block column of each block, ascending within a row.
    pub column: Vec<u32>,
    /// Places of the diagonal blocks.
    pub diagonal: Vec<u32>,
    /// 36 numbers per block, by rows.
    pub values: Vec<f64>,
    /// Inverses of the diagonal blocks; 0 where there is none.
    inverse: Vec<Matrix6<f64>>,
    /// Slot of each block, and whether it is of the upper triangle.
    source: Vec<(usize, bool)>,
}

impl CompressedBlocks {
    /// Takes over a pattern.
    pub fn analyse(&mut self, pattern: &BlockPattern) {
        let n = pattern.n();
        let mut rows: Vec<Vec<(u32, usize, bool)>> = (0..n).map(|i| vec![(i as u32, i, false)]).collect();
        for j in 0..n {
            for i in pattern.column(j) {
                let slot = pattern.slot(i, j);
                rows[i].push((j as u32, slot, false));
                rows[j].push((i as u32, slot, true));
            }
        }
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.diagonal.clear();
        self.source.clear();
        for (i, row) in rows.iter_mut().enumerate() {
            row.sort_unstable();
            for (column, slot, upper) in row {
                if *column as usize == i {
                    self.diagonal.push(self.column.len() as u32);
                }
                self.column.push(*column);
                self.source.push((*slot, *upper));
            }
            self.start.push(self.column.len() as u32);
        }
    }

    /// Takes over values. False when a diagonal block has no inverse.
    pub fn fill(&mut self, blocks: &UnsymmetricBlocks) -> bool {
        let n = self.diagonal.len();
        self.values.clear();
        for (slot, upper) in &self.source {
            let block = if *upper { &blocks.upper[slot - n] } else { &blocks.lower[*slot] };
            self.values.extend_from_slice(block);
        }
        self.invert_diagonal()
    }

    /// Takes over values in its own order. False when they are not of this pattern.
    pub fn set_values(&mut self, values: &[f64]) -> bool {
        self.values.clear();
        self.values.extend_from_slice(values);
        self.values.len() == BLOCK_LEN * self.column.len() && self.invert_diagonal()
    }

    /// Prepares [`Self::divide_by_diagonal`]. False when a diagonal block has no inverse.
    pub fn invert_diagonal(&mut self) -> bool {
        self.inverse.clear();
        for k in &self.diagonal {
            let block = &self.values[*k as usize * BLOCK_LEN..][..BLOCK_LEN];
            let Some(inverse) = Matrix6::from_row_slice(block).try_inverse() else { return false };
            self.inverse.push(inverse);
        }
        true
    }

    /// Place of block (row, column).
    ///
    /// # Panics
    /// When the block is not in the pattern.
    pub fn find(&self, row: usize, column: u32) -> usize {
        let range = self.start[row] as usize..self.start[row + 1] as usize;
        range.start + self.column[range].binary_search(&column).expect("block is in the pattern")
    }

    /// Writes the values to the matrix that factorisations read.
    pub fn write_to(&self, blocks: &mut UnsymmetricBlocks) {
        let n = self.diagonal.len();
        for ((slot, upper), value) in self.source.iter().zip(self.values.chunks_exact(BLOCK_LEN)) {
            let block = if *upper { &mut blocks.upper[slot - n] } else { &mut blocks.lower[*slot] };
            block.copy_from_slice(value);
        }
    }

    /// out := A x.
    pub fn product(&self, x: &[f64], out: &mut [f64]) {
        for (i, out) in out.chunks_exact_mut(BLOCK).enumerate() {
            let range = self.start[i] as usize..self.start[i + 1] as usize;
            let blocks = &self.values[BLOCK_LEN * range.start..BLOCK_LEN * range.end];
            out.copy_from_slice(&block_product(&self.column[range], blocks, x));
        }
    }

    /// Number of block rows.
    pub fn n(&self) -> usize {
        self.diagonal.len()
    }

    /// x := D⁻¹ x with the diagonal blocks.
    pub fn divide_by_diagonal(&self, x: &mut [f64]) {
        for (x, inverse) in x.chunks_exact_mut(BLOCK).zip(&self.inverse) {
            let y = inverse * Vector6::from_column_slice(x);
            x.copy_from_slice(y.as_slice());
        }
    }
}

/// An iterative solver of systems with a block matrix, such as one on a device.
pub trait BlockKrylov: Debug + Send + Sync {
    /// x ≈ A⁻¹ b with |b − A x| ≤ `tolerance` |b|, preconditioned with the diagonal blocks, in at most `most`
    /// steps. Returns the steps taken, or None when the tolerance is not met.
    fn solve(
        &self,
        matrix: &CompressedBlocks,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Option<usize>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_both_triangles() {
        let pattern = BlockPattern::new(4, [(2, 0), (1, 2), (3, 1)].into_iter());
        let mut blocks = UnsymmetricBlocks::default();
        blocks.reset(&pattern);
        for (i, j) in [(0, 0), (1, 1), (2, 2), (3, 3), (2, 0), (0, 2), (2, 1), (1, 2), (3, 1), (1, 3)] {
            let block = blocks.block(4, pattern.slot(i, j), i, j);
            for r in 0..BLOCK {
                block[7 * r] = (10 * i + j + 1) as f64;
            }
        }
        let mut rows = CompressedBlocks::default();
        rows.analyse(&pattern);
        assert!(rows.fill(&blocks));
        assert_eq!(rows.start, [0, 2, 5, 8, 10]);
        assert_eq!(rows.column, [0, 2, 1, 2, 3, 0, 1, 2, 1, 3]);
        assert_eq!(rows.diagonal, [0, 2, 7, 9]);
        let found: Vec<f64> = rows.values.iter().step_by(BLOCK_LEN).copied().collect();
        assert_eq!(found, [1.0, 3.0, 12.0, 13.0, 14.0, 21.0, 22.0, 23.0, 32.0, 34.0]);
        let mut back = UnsymmetricBlocks::default();
        back.reset(&pattern);
        rows.write_to(&mut back);
        assert!(back.lower == blocks.lower && back.upper == blocks.upper);
        let (x, mut y) = ((1..=24).map(f64::from).collect::<Vec<_>>(), vec![0.0; 24]);
        rows.product(&x, &mut y);
        assert_eq!(y[6..8], [12.0 * 7.0 + 13.0 * 13.0 + 14.0 * 19.0, 12.0 * 8.0 + 13.0 * 14.0 + 14.0 * 20.0]);
        assert_eq!([rows.find(1, 3), rows.find(2, 0)], [4, 5]);
    }
}
