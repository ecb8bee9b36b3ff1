//! Fronts of supernodes: their assembly, their elimination, and their contributions to their parents.

use super::symbolic::{Piece, Symbolic, pieces};
use super::workspace::{HandedUp, Workspace};
use crate::linalg::block_matrix::Block;
use crate::linalg::dense_lu::factorize_dense;
use crate::linalg::entry::{Entry, leading_dimension};
use crate::linalg::packed::{Rows, solve_right};
use crate::linalg::shared_products::{shared_negative_product, shared_solve_right};
use crate::linalg::substitution::{self, take_triangles};
use crate::linalg::supernodes::{Run, Supernodes};
use crate::linalg::{BLOCK, SingularBlock, UnsymmetricBlocks};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// Data that all fronts of a factorisation use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) symbolic: &'a Symbolic,
    pub(super) start: &'a [Start],
    pub(super) blocks: &'a UnsymmetricBlocks,
    /// Power of two that the matrix is multiplied by.
    pub(super) scale: f64,
}

/// Places where the numbers of a supernode start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Start {
    pub(super) diagonal: usize,
    /// Start in `lower` and `upper`.
    pub(super) panel: usize,
    pub(super) triangle: usize,
    /// Start in `inverses` and `swaps`.
    pub(super) column: usize,
}

/// Factors of supernodes that follow one another.
#[derive(Debug)]
pub(super) struct Factors<'a, T> {
    pub(super) first: usize,
    pub(super) diagonal: &'a mut [T],
    pub(super) lower: &'a mut [T],
    pub(super) upper: &'a mut [T],
    pub(super) triangles: &'a mut [T],
    pub(super) inverses: &'a mut [T],
    pub(super) swaps: &'a mut [u32],
}

/// A supernode with its factors, or its part of the matrix before it is eliminated.
struct Front<'a, T> {
    width: usize,
    rows: usize,
    /// Entries from one row of D to the next, from one column of L and Eᵀ to the next.
    pitch: usize,
    stride: usize,
    factors: Factors<'a, T>,
}

impl<T: Entry> Factors<'_, T> {
    /// These factors, borrowed for a while.
    pub(super) fn again(&mut self) -> Factors<'_, T> {
        Factors {
            first: self.first,
            diagonal: self.diagonal,
            lower: self.lower,
            upper: self.upper,
            triangles: self.triangles,
            inverses: self.inverses,
            swaps: self.swaps,
        }
    }

    /// Factors before supernode s, and factors from s on.
    pub(super) fn split_at(&mut self, common: Common<'_>, s: usize) -> [Factors<'_, T>; 2] {
        let (from, to) = (common.start[self.first], common.start[s]);
        let (diagonal, later_diagonal) = self.diagonal.split_at_mut(to.diagonal - from.diagonal);
        let (lower, later_lower) = self.lower.split_at_mut(to.panel - from.panel);
        let (upper, later_upper) = self.upper.split_at_mut(to.panel - from.panel);
        let (triangles, later_triangles) = self.triangles.split_at_mut(to.triangle - from.triangle);
        let (inverses, later_inverses) = self.inverses.split_at_mut(to.column - from.column);
        let (swaps, later_swaps) = self.swaps.split_at_mut(to.column - from.column);
        let later = Factors {
            first: s,
            diagonal: later_diagonal,
            lower: later_lower,
            upper: later_upper,
            triangles: later_triangles,
            inverses: later_inverses,
            swaps: later_swaps,
        };
        [Factors { first: self.first, diagonal, lower, upper, triangles, inverses, swaps }, later]
    }

    #[inline(always)]
    fn front(&mut self, common: Common<'_>, s: usize) -> Front<'_, T> {
        let (width, rows) = common.symbolic.nodes.size(s);
        let (base, from, to) = (common.start[self.first], common.start[s], common.start[s + 1]);
        let panel = from.panel - base.panel..to.panel - base.panel;
        let columns = from.column - base.column..to.column - base.column;
        let factors = Factors {
            first: s,
            diagonal: &mut self.diagonal[from.diagonal - base.diagonal..to.diagonal - base.diagonal],
            lower: &mut self.lower[panel.clone()],
            upper: &mut self.upper[panel],
            triangles: &mut self.triangles[from.triangle - base.triangle..to.triangle - base.triangle],
            inverses: &mut self.inverses[columns.clone()],
            swaps: &mut self.swaps[columns],
        };
        let (pitch, stride) = (leading_dimension::<T>(BLOCK * width), leading_dimension::<T>(BLOCK * rows));
        Front { width, rows, pitch, stride, factors }
    }
}

/// Factorises supernodes in their order, but those of subtrees that were factorised before, whose workspaces
/// hold their contributions. Compiled for every width of vectors. (Closures would not be inlined, and so not
/// be compiled for wide ones.)
pub(super) struct InOrder<'a, 'b, T> {
    pub(super) common: Common<'a>,
    pub(super) nodes: Range<usize>,
    pub(super) factors: Factors<'a, T>,
    pub(super) at: &'b mut Workspace<T>,
    pub(super) subtrees: &'b [Workspace<T>],
}

impl<T: Entry> WithSimd for InOrder<'_, '_, T> {
    type Output = Result<(), SingularBlock>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { common, nodes, mut factors, at, subtrees } = self;
        at.waiting.clear();
        let mut top = 0;
        // A subtree by itself is the whole range.
        let apart = if subtrees.is_empty() { &[] } else { &*common.symbolic.subtrees };
        for piece in pieces(nodes, apart) {
            let s = match piece {
                Piece::Front(s) => s,
                Piece::Subtree(k) => {
                    let root = apart[k].end - 1;
                    if common.symbolic.nodes.size(root).1 > 0 {
                        at.waiting.push((root, HandedUp::BySubtree(k)));
                    }
                    continue;
                }
            };
            let mut front = factors.front(common, s);
            front.scatter(common);
            front.assemble(common, at, subtrees);
            front.eliminate(simd, at)?;
            top = front.contribute(simd, common, (&mut *at, subtrees), top);
        }
        Ok(())
    }
}

impl<T: Entry> Front<'_, T> {
    /// Writes the values of the matrix.
    #[inline(always)]
    fn scatter(&mut self, common: Common<'_>) {
        let Symbolic { nodes, targets, first_slot, slots, .. } = common.symbolic;
        let (n, scale, blocks) = (nodes.order.len(), common.scale, common.blocks);
        let Self { width, pitch, stride, .. } = *self;
        let Factors { first: s, diagonal, lower, upper, .. } = &mut self.factors;
        diagonal.fill(T::default());
        lower.fill(T::default());
        upper.fill(T::default());
        for slot in &slots[first_slot[*s]..first_slot[*s + 1]] {
            let (slot, target) = (*slot as usize, &targets[*slot as usize]);
            let low = &blocks.lower[slot];
            if slot < n {
                place_block(diagonal, pitch, target.column, target.column, low, scale);
                continue;
            }
            let up = &blocks.upper[slot - n];
            let (low, up) = if target.transposed { (up, low) } else { (low, up) };
            if target.row < width {
                place_block(diagonal, pitch, target.row, target.column, low, scale);
                place_block(diagonal, pitch, target.column, target.row, up, scale);
            } else {
                let at = BLOCK * (target.column * stride + target.row - width);
                for r in 0..BLOCK {
                    for c in 0..BLOCK {
                        lower[at + c * stride + r] = T::of(scale * low[BLOCK * r + c]);
                        upper[at + r * stride + c] = T::of(scale * up[BLOCK * r + c]);
                    }
                }
            }
        }
    }

    /// Adds the contributions of the children to D, L and E.
    #[inline(always)]
    fn assemble(&mut self, common: Common<'_>, at: &Workspace<T>, subtrees: &[Workspace<T>]) {
        let nodes = &common.symbolic.nodes;
        let Self { width, pitch, stride, .. } = *self;
        let Factors { first: s, diagonal, lower, upper, .. } = &mut self.factors;
        for (child, place) in at.children(nodes, *s) {
            let Handed { into, stride: child_stride, inner, outer } = handed::<T>(nodes, *child, width);
            let inside = &into[..into.partition_point(|t| (*t as usize) < width)];
            let blocks = place.of(&at.stack, subtrees).chunks_exact((BLOCK * child_stride).max(1));
            for (rows, to) in blocks.zip(into) {
                let to = *to as usize;
                if to < width {
                    for (r, row) in rows.chunks_exact(child_stride).enumerate() {
                        add_runs(&mut diagonal[(BLOCK * to + r) * pitch..], row, inner, 0);
                        add_runs(&mut upper[(BLOCK * to + r) * stride..], row, outer, width);
                    }
                } else {
                    add_transposed(&mut lower[BLOCK * (to - width)..], stride, rows, inside);
                }
            }
        }
    }

    /// D = Pᵀ L_D U_D, L := L U_D⁻¹, E := L_D⁻¹ P E.
    #[inline(always)]
    fn eliminate<S: Simd>(&mut self, simd: S, at: &mut Workspace<T>) -> Result<(), SingularBlock> {
        let Self { width, pitch, stride, .. } = *self;
        let side = BLOCK * width;
        let Factors { diagonal, lower, upper, triangles, inverses, swaps, .. } = &mut self.factors;
        factorize_dense(simd, diagonal, side, swaps, &mut at.packed)?;
        take_triangles(diagonal, side, &mut triangles[..substitution::room::<T>(side)], inverses);
        // Overflow in a child shows in these inverses.
        if !inverses.iter().all(|x| x.is_number()) {
            return Err(SingularBlock);
        }
        if stride == 0 {
            return Ok(());
        }
        for (k, other) in swaps.iter().enumerate().filter(|(k, other)| *k != **other as usize) {
            let (head, tail) = upper.split_at_mut(stride * *other as usize);
            head[stride * k..][..stride].swap_with_slice(&mut tail[..stride]);
        }
        let all = Rows { stride, from: 0, to: stride };
        at.packed.take_upper(diagonal, pitch, side);
        if let Some(other) = &mut at.other {
            other.take_unit_lower(diagonal, pitch, 0..side);
            shared_solve_right([lower, upper], all, [&mut at.packed, other]);
            return Ok(());
        }
        solve_right(simd, lower, all, &mut at.packed);
        at.packed.take_unit_lower(diagonal, pitch, 0..side);
        solve_right(simd, upper, all, &mut at.packed);
        Ok(())
    }

    /// C = −L E and the contributions of the children, moved down over these. Returns the new top of the
    /// stack.
    #[inline(always)]
    fn contribute<S: Simd>(
        &mut self,
        simd: S,
        common: Common<'_>,
        (at, subtrees): (&mut Workspace<T>, &[Workspace<T>]),
        top: usize,
    ) -> usize {
        let nodes = &common.symbolic.nodes;
        let Self { width, rows, stride, ref factors, .. } = *self;
        let size = stride * BLOCK * rows;
        let children = at.children(nodes, factors.first);
        let lowest = children.iter().find_map(|(_, place)| place.on_the_stack());
        let (n, to) = (children.len(), lowest.unwrap_or(top));
        if rows > 0 {
            at.packed.take(factors.lower, stride, BLOCK * rows);
            let upper = (&*factors.upper, Rows { stride, from: 0, to: stride });
            let (waiting, own) = at.stack.split_at_mut(top);
            shared_negative_product(simd, &mut own[..size], upper, &mut at.packed);
            let first = at.waiting.len() - n;
            for (child, place) in &at.waiting[first..] {
                let handed = handed::<T>(nodes, *child, width);
                add_contribution(own, stride, (&handed, place.of(waiting, subtrees)), width);
            }
            at.stack.copy_within(top..top + size, to);
        }
        at.waiting.truncate(at.waiting.len() - n);
        if rows > 0 {
            at.waiting.push((factors.first, HandedUp::OnStack(to)));
        }
        to + size
    }
}

/// Adds the contribution of a child to C of its parent, of some width.
#[inline(always)]
fn add_contribution<T: Entry>(
    own: &mut [T],
    stride: usize,
    (handed, values): (&Handed<'_>, &[T]),
    width: usize,
) {
    let Handed { into, stride: child_stride, outer, .. } = handed;
    let inside = into.partition_point(|t| (*t as usize) < width);
    let blocks = values.chunks_exact((BLOCK * child_stride).max(1)).skip(inside);
    for (rows, to) in blocks.zip(&into[inside..]) {
        let at = BLOCK * (*to as usize - width);
        for (r, row) in rows.chunks_exact(*child_stride).enumerate() {
            add_runs(&mut own[(at + r) * stride..], row, outer, width);
        }
    }
}

/// The contribution of a child to a parent of some width: the places of its rows, its stride, and the runs of
/// rows among the parent's columns and below them.
struct Handed<'a> {
    into: &'a [u32],
    stride: usize,
    inner: &'a [Run],
    outer: &'a [Run],
}

#[inline(always)]
fn handed<T: Entry>(nodes: &Supernodes, child: usize, width: usize) -> Handed<'_> {
    let into = &nodes.in_parent[nodes.row_start[child]..nodes.row_start[child + 1]];
    let runs = nodes.runs_of(child);
    let (inner, outer) = runs.split_at(runs.partition_point(|run| (run.to as usize) < width));
    Handed { into, stride: leading_dimension::<T>(BLOCK * into.len()), inner, outer }
}

#[inline(always)]
fn place_block<T: Entry>(out: &mut [T], side: usize, i: usize, j: usize, block: &Block, scale: f64) {
    for (r, row) in block.chunks_exact(BLOCK).enumerate() {
        let out = &mut out[(BLOCK * i + r) * side + BLOCK * j..][..BLOCK];
        out.iter_mut().zip(row).for_each(|(out, x)| *out = T::of(scale * x));
    }
}

/// Adds the runs of a child's row to a row of its parent that starts at block `first` of the front.
#[inline(always)]
fn add_runs<T: Entry>(parent: &mut [T], child: &[T], runs: &[Run], first: usize) {
    for run in runs {
        let length = BLOCK * run.length as usize;
        let to = &mut parent[BLOCK * (run.to as usize - first)..][..length];
        for (y, x) in to.iter_mut().zip(&child[BLOCK * run.from as usize..][..length]) {
            *y += *x;
        }
    }
}

/// Adds the leading columns of a row of blocks to the columns `into` of a panel.
#[inline(always)]
fn add_transposed<T: Entry>(panel: &mut [T], stride: usize, rows: &[T], into: &[u32]) {
    let row = rows.len() / BLOCK;
    for (k, to) in into.iter().enumerate() {
        for c in 0..BLOCK {
            let column = &mut panel[(BLOCK * *to as usize + c) * stride..][..BLOCK];
            for (r, y) in column.iter_mut().enumerate() {
                *y += rows[r * row + BLOCK * k + c];
            }
        }
    }
}
