//! LU of a matrix with a symmetric pattern of 6×6 blocks and unsymmetric values.
//!
//! Exact Coulomb friction makes the Newton matrix unsymmetric, and the Cholesky factor of its symmetric part
//! is a poor preconditioner at large ρ: the coupling of friction to the normal force is amplified by √ρ
//! (measured at 64 bodies: GMRES runs into its limit of 60 from ρ = 3e3 on). No library offers LU on a given
//! symmetric ordering, hence this one: multifrontal over supernodes, in minimum-degree order, pivoting only
//! inside the diagonal blocks of supernodes. Callers check the result (GMRES with the factor as
//! preconditioner).

mod numbers;
mod symbolic;

pub use numbers::LuNumbers;

use super::block_matrix::Block;
use super::dense_lu::factorize_dense;
use super::entry::{Entry, leading_dimension};
use super::packed::{Packed, Rows, negative_product, solve_right};
use super::substitution::{self, take_triangles};
use super::supernodes::{Run, Supernodes};
use super::{BLOCK, BlockPattern, SingularBlock, UnsymmetricBlocks};
use pulp::{Simd, WithSimd};
use std::ops::Range;
use std::sync::Arc;
use symbolic::Symbolic;

/// L U in the order of a symbolic analysis, of numbers in f64 or f32. A supernode with w columns and r rows
/// below has a front
/// ```text
///   D  E      D: 6w × 6w, row by row;  L: 6r × 6w, column by column;  Eᵀ like L
///   L  C      C: 6r × 6r, column by column, handed to the parent
/// ```
#[derive(Debug, Default)]
pub struct BlockLu<T = f64> {
    symbolic: Arc<Symbolic>,
    /// Where each supernode's D starts in `diagonal`, and L and Eᵀ in `lower` and `upper`.
    start: Vec<(usize, usize)>,
    /// Power of two that the matrix was multiplied by.
    scale: f64,
    diagonal: Vec<T>,
    /// D for the substitutions (see [`substitution::take_triangles`]), and where each starts.
    triangles: Vec<T>,
    triangle_start: Vec<usize>,
    inverses: Vec<T>,
    /// Row swapped with row k while D was factorised.
    swaps: Vec<u32>,
    lower: Vec<T>,
    upper: Vec<T>,
    /// Contributions waiting for their parents: (supernode, start in `stack`).
    waiting: Vec<(usize, usize)>,
    stack: Vec<T>,
    work: Vec<T>,
    below: Vec<T>,
    packed: Packed<T>,
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

    /// Makes room for the factors: what is never factorised takes none.
    fn reserve(&mut self) {
        let nodes = &self.symbolic.nodes;
        let (mut diagonal, mut panel, mut widest, mut deepest, mut triangles) = (0, 0, 0, 0, 0);
        self.triangle_start.clear();
        for s in 0..nodes.count() {
            self.start.push((diagonal, panel));
            let (width, rows) = nodes.size(s);
            diagonal += leading_dimension::<T>(BLOCK * width) * BLOCK * width;
            panel += leading_dimension::<T>(BLOCK * rows) * BLOCK * width;
            widest = widest.max(leading_dimension::<T>(BLOCK * rows));
            deepest = deepest.max(leading_dimension::<T>(BLOCK * width));
            self.triangle_start.push(triangles);
            triangles += substitution::room::<T>(BLOCK * width);
        }
        self.start.push((diagonal, panel));
        let n = nodes.order.len();
        // Zeros are needed in the padding of `triangles` alone; the others are written before they are read.
        self.triangles.clear();
        let vectors = [
            (&mut self.diagonal, diagonal),
            (&mut self.lower, panel),
            (&mut self.upper, panel),
            (&mut self.stack, deepest_stack::<T>(nodes)),
            (&mut self.work, BLOCK * n),
            (&mut self.below, deepest + widest),
            (&mut self.triangles, triangles),
            (&mut self.inverses, BLOCK * n),
        ];
        for (vector, length) in vectors {
            vector.resize(length, T::default());
        }
        self.swaps.resize(BLOCK * n, 0);
        self.packed = Packed::new(deepest, widest.max(deepest));
    }

    /// Multiplications of 6×6 blocks that a factorisation takes.
    pub fn n_block_products(&self) -> usize {
        self.symbolic.nodes.n_block_products()
    }

    /// Factorises.
    ///
    /// # Errors
    /// When a diagonal block of a supernode turns out singular.
    pub fn factorize(&mut self, blocks: &UnsymmetricBlocks) -> Result<(), SingularBlock> {
        if self.start.is_empty() {
            self.reserve();
        }
        pulp::Arch::new().dispatch(Factorize { lu: self, blocks })
    }

    /// Writes the values into the front of supernode s.
    #[inline(always)]
    fn scatter(&mut self, blocks: &UnsymmetricBlocks, s: usize) {
        let Symbolic { nodes, targets, first_slot, slots } = &*self.symbolic;
        let (n, scale) = (nodes.order.len(), self.scale);
        let (width, rows) = nodes.size(s);
        let (pitch, stride) = (leading_dimension::<T>(BLOCK * width), leading_dimension::<T>(BLOCK * rows));
        let ((d, p), (d_end, p_end)) = (self.start[s], self.start[s + 1]);
        let diagonal = &mut self.diagonal[d..d_end];
        let (lower, upper) = (&mut self.lower[p..p_end], &mut self.upper[p..p_end]);
        diagonal.fill(T::default());
        lower.fill(T::default());
        upper.fill(T::default());
        for slot in &slots[first_slot[s]..first_slot[s + 1]] {
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

    /// Adds what the children of supernode s handed up to D, L and E.
    #[inline(always)]
    fn assemble(&mut self, s: usize) {
        let nodes = &self.symbolic.nodes;
        let (width, rows) = nodes.size(s);
        let (pitch, stride) = (leading_dimension::<T>(BLOCK * width), leading_dimension::<T>(BLOCK * rows));
        let (d, p) = self.start[s];
        let (diagonal, lower, upper) = (&mut self.diagonal[d..], &mut self.lower[p..], &mut self.upper[p..]);
        let first = self.waiting.len() - nodes.n_children[s];
        for (child, at) in &self.waiting[first..] {
            let Handed { into, stride: child_stride, inner, outer } = handed::<T>(nodes, *child, width);
            let inside = &into[..into.partition_point(|t| (*t as usize) < width)];
            let blocks = self.stack[*at..].chunks_exact((BLOCK * child_stride).max(1));
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

    /// Adds what the children of supernode s handed up to its C, which starts at `top` of the stack, above
    /// theirs.
    #[inline(always)]
    fn add_contributions(&mut self, s: usize, top: usize) {
        let nodes = &self.symbolic.nodes;
        let (width, rows) = nodes.size(s);
        let stride = leading_dimension::<T>(BLOCK * rows);
        let (waiting, own) = self.stack.split_at_mut(top);
        let first = self.waiting.len() - nodes.n_children[s];
        for (child, at) in &self.waiting[first..] {
            let Handed { into, stride: child_stride, outer, .. } = handed::<T>(nodes, *child, width);
            let inside = into.partition_point(|t| (*t as usize) < width);
            let blocks = waiting[*at..].chunks_exact((BLOCK * child_stride).max(1)).skip(inside);
            for (rows, to) in blocks.zip(&into[inside..]) {
                let at = BLOCK * (*to as usize - width);
                for (r, row) in rows.chunks_exact(child_stride).enumerate() {
                    add_runs(&mut own[(at + r) * stride..], row, outer, width);
                }
            }
        }
    }

    /// D = Pᵀ L_D U_D, L := L U_D⁻¹, E := L_D⁻¹ P E.
    #[inline(always)]
    fn eliminate<S: Simd>(&mut self, simd: S, s: usize) -> Result<(), SingularBlock> {
        let (width, rows) = self.symbolic.nodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension::<T>(BLOCK * rows));
        let pitch = leading_dimension::<T>(side);
        let (d, p) = self.start[s];
        let diagonal = &mut self.diagonal[d..d + pitch * side];
        let first = BLOCK * self.symbolic.nodes.first[s];
        let swaps = &mut self.swaps[first..first + side];
        let (lower, upper) = (&mut self.lower[p..p + stride * side], &mut self.upper[p..p + stride * side]);
        factorize_dense(simd, diagonal, side, swaps, &mut self.packed)?;
        let triangles = &mut self.triangles[self.triangle_start[s]..][..substitution::room::<T>(side)];
        let inverses = &mut self.inverses[first..first + side];
        take_triangles(diagonal, side, triangles, inverses);
        // What overflows in a child ends up here.
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
        self.packed.take_upper(diagonal, pitch, side);
        solve_right(simd, lower, all, &mut self.packed);
        self.packed.take_unit_lower(diagonal, pitch, 0..side);
        solve_right(simd, upper, all, &mut self.packed);
        Ok(())
    }

    /// C = −L E and what the children handed up, moved down over that. Returns the new top of the stack.
    #[inline(always)]
    fn contribute<S: Simd>(&mut self, simd: S, s: usize, top: usize) -> usize {
        let nodes = &self.symbolic.nodes;
        let rows = nodes.size(s).1;
        let stride = leading_dimension::<T>(BLOCK * rows);
        let size = stride * BLOCK * rows;
        let first = self.waiting.len() - nodes.n_children[s];
        let to = self.waiting.get(first).map_or(top, |(_, at)| *at);
        if rows > 0 {
            let panel = self.start[s].1..self.start[s + 1].1;
            let (lower, upper) = (&self.lower[panel.clone()], &self.upper[panel]);
            self.packed.take(lower, stride, BLOCK * rows);
            let upper = (upper, Rows { stride, from: 0, to: stride });
            negative_product(simd, &mut self.stack[top..top + size], upper, &mut self.packed);
            self.add_contributions(s, top);
            self.stack.copy_within(top..top + size, to);
        }
        self.waiting.truncate(first);
        if rows > 0 {
            self.waiting.push((s, to));
        }
        to + size
    }

    /// Sign of the determinant of what was factorised, 1 or −1.
    pub fn determinant_sign(&self) -> f64 {
        let mut is_negative = false;
        for s in 0..self.symbolic.nodes.count() {
            let side = BLOCK * self.symbolic.nodes.size(s).0;
            let (diagonal, first) = (self.start[s].0, BLOCK * self.symbolic.nodes.first[s]);
            for k in 0..side {
                is_negative ^=
                    self.diagonal[diagonal + k * (leading_dimension::<T>(side) + 1)] < T::default();
                is_negative ^= self.swaps[first + k] as usize != k;
            }
        }
        if is_negative { -1.0 } else { 1.0 }
    }

    /// x := (L U)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let mut work = std::mem::take(&mut self.work);
        for (to, block) in work.chunks_exact_mut(BLOCK).zip(&self.symbolic.nodes.order) {
            to.iter_mut().zip(&x[BLOCK * block..]).for_each(|(to, x)| *to = T::of(*x));
        }
        let mut below = std::mem::take(&mut self.below);
        pulp::Arch::new().dispatch(Substitute { lu: self, work: &mut work, below: &mut below });
        for (from, block) in work.chunks_exact(BLOCK).zip(&self.symbolic.nodes.order) {
            x[BLOCK * block..].iter_mut().zip(from).for_each(|(x, from)| *x = self.scale * from.wide());
        }
        (self.work, self.below) = (work, below);
    }

    /// What the substitutions need of supernode s, with its part of `work` copied into `room`.
    #[inline(always)]
    fn open<'a>(&self, s: usize, work: &[T], room: &'a mut [T]) -> Opened<'a, T> {
        let (width, rows) = self.symbolic.nodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension::<T>(BLOCK * rows));
        let first = BLOCK * self.symbolic.nodes.first[s];
        let triangles = self.triangle_start[s]..self.triangle_start[s] + substitution::room::<T>(side);
        let (own, below) = room.split_at_mut(leading_dimension::<T>(side));
        own[..side].copy_from_slice(&work[first..first + side]);
        own[side..].fill(T::default());
        let panel = self.start[s].1..self.start[s + 1].1;
        Opened { columns: first..first + side, triangles, panel, own, below: &mut below[..stride] }
    }

    #[inline(always)]
    fn forward<S: Simd>(&self, simd: S, s: usize, work: &mut [T], room: &mut [T]) {
        let Opened { columns, triangles, panel, own, below } = self.open(s, work, room);
        for (k, other) in self.swaps[columns.clone()].iter().enumerate() {
            own.swap(k, *other as usize);
        }
        substitution::forward(simd, &self.triangles[triangles], columns.len(), own);
        work[columns.clone()].copy_from_slice(&own[..columns.len()]);
        if below.is_empty() {
            return;
        }
        substitution::product(simd, &self.lower[panel], own, below);
        for (piece, row) in below.chunks_exact(BLOCK).zip(self.symbolic.nodes.rows_of(s)) {
            for (x, y) in work[BLOCK * *row as usize..][..BLOCK].iter_mut().zip(piece) {
                *x -= *y;
            }
        }
    }

    #[inline(always)]
    fn backward<S: Simd>(&self, simd: S, s: usize, work: &mut [T], room: &mut [T]) {
        let Opened { columns, triangles, panel, own, below } = self.open(s, work, room);
        if !below.is_empty() {
            let rows = self.symbolic.nodes.rows_of(s);
            below[BLOCK * rows.len()..].fill(T::default());
            for (piece, row) in below.chunks_exact_mut(BLOCK).zip(rows) {
                piece.copy_from_slice(&work[BLOCK * *row as usize..][..BLOCK]);
            }
            substitution::subtract_dots(simd, &self.upper[panel], below, &mut own[..columns.len()]);
        }
        substitution::backward(simd, &self.triangles[triangles], &self.inverses[columns.clone()], own);
        work[columns.clone()].copy_from_slice(&own[..columns.len()]);
    }
}

/// A supernode in the substitutions.
struct Opened<'a, T> {
    /// Its columns among the unknowns in the order of elimination.
    columns: Range<usize>,
    /// Where its triangles are, and its panels.
    triangles: Range<usize>,
    panel: Range<usize>,
    /// Its unknowns, padded, and room for the rows below.
    own: &'a mut [T],
    below: &'a mut [T],
}

/// The numeric factorisation, compiled for every width of vectors. (Closures would not be inlined, and so not
/// be compiled for wide ones.)
struct Factorize<'a, T> {
    lu: &'a mut BlockLu<T>,
    blocks: &'a UnsymmetricBlocks,
}

impl<T: Entry> WithSimd for Factorize<'_, T> {
    type Output = Result<(), SingularBlock>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { lu, blocks } = self;
        let symbolic = &lu.symbolic;
        let entries = blocks.lower[..symbolic.nodes.order.len()].iter().flatten();
        lu.scale = T::scale(entries.fold(0.0, |largest: f64, x| largest.max(x.abs())));
        lu.waiting.clear();
        let mut top = 0;
        for s in 0..lu.symbolic.nodes.count() {
            lu.scatter(blocks, s);
            lu.assemble(s);
            lu.eliminate(simd, s)?;
            top = lu.contribute(simd, s, top);
        }
        Ok(())
    }
}

/// Forward and backward substitution.
struct Substitute<'a, T> {
    lu: &'a BlockLu<T>,
    work: &'a mut [T],
    below: &'a mut [T],
}

impl<T: Entry> WithSimd for Substitute<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lu, work, below } = self;
        for s in 0..lu.symbolic.nodes.count() {
            lu.forward(simd, s, work, below);
        }
        for s in (0..lu.symbolic.nodes.count()).rev() {
            lu.backward(simd, s, work, below);
        }
    }
}

/// What a child hands up to a parent of some width: the places of its rows, its stride, and the runs of rows
/// among the parent's columns and below them.
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

/// Entries of the stack at its fullest: contributions that wait and the one being made.
fn deepest_stack<T: Entry>(nodes: &Supernodes) -> usize {
    let (mut waiting, mut top, mut deepest) = (Vec::new(), 0, 0);
    for s in 0..nodes.count() {
        let rows = BLOCK * nodes.size(s).1;
        let size = leading_dimension::<T>(rows) * rows;
        deepest = deepest.max(top + size);
        for _ in 0..nodes.n_children[s] {
            top -= waiting.pop().unwrap_or(0);
        }
        if size > 0 {
            waiting.push(size);
        }
        top += size;
    }
    deepest
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

#[cfg(test)]
mod tests;
