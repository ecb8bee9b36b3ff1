//! Linear algebra on 6×6 blocks: one block row per body. Knows matrices, not contacts.

pub mod block_diagonal;
pub mod block_lu;
pub mod block_matrix;
pub mod cholesky;
pub mod dense_lu;
pub mod entry;
pub mod krylov;
pub mod ordering;
pub mod packed;
mod room;
mod shared_products;
pub mod sparse_lu;
pub mod substitution;
pub mod supernodes;

pub use block_diagonal::BlockDiagonal;
pub use block_lu::{BlockLu, FEW_LANES, LANES, Lanes, LuNumbers, in_lanes, strips};
pub use block_matrix::{BlockPattern, SymmetricBlocks, UnsymmetricBlocks};
pub use cholesky::SparseCholesky;
pub use krylov::{Accuracy, Gmres};
pub use room::Room;
pub use sparse_lu::SparseLu;

pub use signorini_kernels::constants::BLOCK;

/// Entries of a block.
pub const BLOCK_LEN: usize = BLOCK * BLOCK;

/// A matrix to factorise is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotPositiveDefinite;

/// A factorisation met a diagonal block without an inverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SingularBlock;
