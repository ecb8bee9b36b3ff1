//! Fill-reducing ordering of the graph of blocks.

use super::BlockPattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Approximate minimum degree on the graph of blocks: `order[k]` is the block eliminated k-th.
///
/// # Panics
/// When memory for the ordering cannot be had.
pub fn minimum_degree(pattern: &BlockPattern) -> Vec<usize> {
    let n = pattern.n();
    let (pointers, rows) = pattern.graph_columns();
    let view = SymbolicSparseColMatRef::new_checked(n, n, &pointers, None, &rows);
    let mut forward = vec![0; n];
    let mut inverse = vec![0; n];
    let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<usize>(n, rows.len()));
    amd::order_maybe_unsorted(
        &mut forward,
        &mut inverse,
        view,
        amd::Control::default(),
        MemStack::new(&mut memory),
    )
    .expect("memory for the ordering");
    forward
}
