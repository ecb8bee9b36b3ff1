//! One row of blocks of y = A x, for a matrix of 6×6 blocks in compressed rows.

use crate::real::Real;

/// Product of the row whose blocks are `blocks` (36 numbers each, by rows), in the block columns `columns`.
pub fn block_product<T: Real>(columns: &[u32], blocks: &[T], x: &[T]) -> [T; 6] {
    let mut y = [T::zero(); 6];
    for (column, block) in columns.iter().zip(blocks.chunks_exact(36)) {
        let x = &x[6 * *column as usize..][..6];
        for (y, row) in y.iter_mut().zip(block.chunks_exact(6)) {
            let half = |at: usize| row[at] * x[at] + row[at + 1] * x[at + 1] + row[at + 2] * x[at + 2];
            *y += half(0) + half(3);
        }
    }
    y
}
