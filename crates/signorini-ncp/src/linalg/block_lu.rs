//! LU of a matrix with a symmetric pattern of 6×6 blocks and unsymmetric values.
//!
//! Exact Coulomb friction makes the Newton matrix unsymmetric, and the Cholesky factor of its symmetric part
//! is a poor preconditioner at large ρ: the coupling of friction to the normal force is amplified by √ρ
//! (measured at 64 bodies: GMRES runs into its limit of 60 from ρ = 3e3 on). No library offers LU on a given
//! symmetric ordering, hence this one: multifrontal over supernodes, in minimum-degree order, pivoting only
//! inside the diagonal blocks of supernodes. Callers check the result (GMRES with the factor as
//! preconditioner).

mod fronts;
mod lanes;
mod numbers;
mod solve;
mod symbolic;
mod workspace;

pub use lanes::{FEW_LANES, LANES, Lanes, in_lanes, strips};
pub use numbers::LuNumbers;

use self::fronts::{Common, Factors, InOrder, Start};
use self::symbolic::Symbolic;
use self::workspace::Workspace;
use super::entry::{Entry, leading_dimension};
use super::substitution;
use super::{BLOCK, BlockPattern, SingularBlock, UnsymmetricBlocks};
use crate::threads;
use std::ops::Range;
use std::sync::Arc;

/// L U in the order of a symbolic analysis, of numbers in f64 or f32. A supernode with w columns and r rows
/// below has a front
/// ```text
///   D  E      D: 6w × 6w, row by row;  L: 6r × 6w, column by column;  Eᵀ like L
///   L  C      C: 6r × 6r, column by column, handed to the parent
/// ```
#[derive(Debug, Default)]
pub struct BlockLu<T = f64> {
    symbolic: Arc<Symbolic>,
    /// Where the numbers of each supernode start, and where they end.
    start: Vec<Start>,
    /// Power of two that the matrix was multiplied by.
    scale: f64,
    diagonal: Vec<T>,
    /// D for the substitutions (see [`substitution::take_triangles`]).
    triangles: Vec<T>,
    inverses: Vec<T>,
    /// Row swapped with row k while D was factorised.
    swaps: Vec<u32>,
    lower: Vec<T>,
    upper: Vec<T>,
    /// Of each subtree that is factorised by itself, and of the rest.
    subtrees: Vec<Workspace<T>>,
    rest: Workspace<T>,
    work: Vec<T>,
    below: Vec<T>,
}

impl<T: Entry> BlockLu<T> {
    /// Orders and analyses a pattern.
    pub fn analyse(&mut self, pattern: &BlockPattern) {
        self.symbolic = Arc::new(Symbolic::new(pattern));
        self.start.clear();
    }

    /// Takes over the analysis of another.
    pub fn analyse_as<U>(&mut self, other: &BlockLu<U>) {
        self.symbolic = Arc::clone(&other.symbolic);
        self.start.clear();
    }

    /// Makes room for the factors: a matrix that is never factorised takes none.
    fn reserve(&mut self) {
        let Symbolic { nodes, subtrees, .. } = &*self.symbolic;
        let (mut end, mut room) = (Start::default(), 0);
        for s in 0..nodes.count() {
            self.start.push(end);
            let (width, rows) = nodes.size(s);
            let [pitch, stride] = [width, rows].map(|n| leading_dimension::<T>(BLOCK * n));
            end.diagonal += pitch * BLOCK * width;
            end.panel += stride * BLOCK * width;
            end.triangle += substitution::room::<T>(BLOCK * width);
            end.column += BLOCK * width;
            room = room.max(pitch + stride);
        }
        self.start.push(end);
        // Zeros are needed in the padding of `triangles` alone; the others are written before they are read.
        self.triangles.clear();
        let vectors = [
            (&mut self.diagonal, end.diagonal),
            (&mut self.lower, end.panel),
            (&mut self.upper, end.panel),
            (&mut self.work, end.column),
            (&mut self.below, room),
            (&mut self.triangles, end.triangle),
            (&mut self.inverses, end.column),
        ];
        for (vector, length) in vectors {
            vector.resize(length, T::default());
        }
        self.swaps.resize(end.column, 0);
        let alone = |range: &Range<usize>| Workspace::new(nodes, range.clone(), &[], false);
        self.subtrees = subtrees.iter().map(alone).collect();
        self.rest = Workspace::new(nodes, 0..nodes.count(), subtrees, !subtrees.is_empty());
    }

    /// Multiplications of 6×6 blocks that a factorisation takes.
    pub fn n_block_products(&self) -> usize {
        self.symbolic.nodes.n_block_products()
    }

    /// Factorises: subtrees at once, then the supernodes above them.
    ///
    /// # Errors
    /// When a diagonal block of a supernode turns out singular.
    pub fn factorize(&mut self, blocks: &UnsymmetricBlocks) -> Result<(), SingularBlock> {
        if self.start.is_empty() {
            self.reserve();
        }
        let symbolic = Arc::clone(&self.symbolic);
        let entries = blocks.lower[..symbolic.nodes.order.len()].iter().flatten();
        self.scale = T::scale(entries.fold(0.0, |largest: f64, x| largest.max(x.abs())));
        let common = Common { symbolic: &symbolic, start: &self.start, blocks, scale: self.scale };
        let mut factors = Factors {
            first: 0,
            diagonal: &mut self.diagonal,
            lower: &mut self.lower,
            upper: &mut self.upper,
            triangles: &mut self.triangles,
            inverses: &mut self.inverses,
            swaps: &mut self.swaps,
        };
        if !symbolic.subtrees.is_empty() {
            threads::rouse();
            factorize_apart(common, &symbolic.subtrees, factors.again(), &mut self.subtrees)?;
        }
        let nodes = 0..symbolic.nodes.count();
        let (at, subtrees) = (&mut self.rest, &*self.subtrees);
        pulp::Arch::new().dispatch(InOrder { common, nodes, factors, at, subtrees })
    }

    /// Sign of the determinant of what was factorised, 1 or −1.
    pub fn determinant_sign(&self) -> f64 {
        let mut is_negative = false;
        for s in 0..self.symbolic.nodes.count() {
            let side = BLOCK * self.symbolic.nodes.size(s).0;
            let Start { diagonal, column, .. } = self.start[s];
            for k in 0..side {
                is_negative ^=
                    self.diagonal[diagonal + k * (leading_dimension::<T>(side) + 1)] < T::default();
                is_negative ^= self.swaps[column + k] as usize != k;
            }
        }
        if is_negative { -1.0 } else { 1.0 }
    }
}

/// Factorises subtrees, each with a workspace of its own; `factors` hold at least theirs.
fn factorize_apart<T: Entry>(
    common: Common<'_>,
    subtrees: &[Range<usize>],
    mut factors: Factors<'_, T>,
    at: &mut [Workspace<T>],
) -> Result<(), SingularBlock> {
    if let ([nodes], [at]) = (subtrees, &mut *at) {
        let nodes = nodes.clone();
        return pulp::Arch::new().dispatch(InOrder { common, nodes, factors, at, subtrees: &[] });
    }
    let half = subtrees.len() / 2;
    let (first, second) = subtrees.split_at(half);
    let [before, after] = factors.split_at(common, second[0].start);
    let (here, there) = at.split_at_mut(half);
    let (a, b) = threads::join(
        || factorize_apart(common, first, before, here),
        || factorize_apart(common, second, after, there),
    );
    a.and(b)
}

#[cfg(test)]
mod tests;
