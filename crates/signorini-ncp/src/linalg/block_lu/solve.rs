//! Forward and backward substitution.

use super::BlockLu;
use crate::linalg::BLOCK;
use crate::linalg::entry::{Entry, leading_dimension};
use crate::linalg::substitution;
use pulp::{Simd, WithSimd};
use std::ops::Range;

impl<T: Entry> BlockLu<T> {
    /// x := (L U)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.solve_either(x, false);
    }

    /// x := (L U)⁻ᵀ x.
    pub fn solve_transposed(&mut self, x: &mut [f64]) {
        self.solve_either(x, true);
    }

    fn solve_either(&mut self, x: &mut [f64], transposed: bool) {
        let mut work = std::mem::take(&mut self.work);
        for (to, block) in work.chunks_exact_mut(BLOCK).zip(&self.symbolic.nodes.order) {
            to.iter_mut().zip(&x[BLOCK * block..]).for_each(|(to, x)| *to = T::of(*x));
        }
        let mut below = std::mem::take(&mut self.below);
        pulp::Arch::new().dispatch(Substitute { lu: self, transposed, work: &mut work, below: &mut below });
        for (from, block) in work.chunks_exact(BLOCK).zip(&self.symbolic.nodes.order) {
            x[BLOCK * block..].iter_mut().zip(from).for_each(|(x, from)| *x = self.scale * from.wide());
        }
        (self.work, self.below) = (work, below);
    }

    /// Data that the substitutions need of supernode s, with its part of `work` copied into `room`.
    #[inline(always)]
    fn open<'a>(&self, s: usize, work: &[T], room: &'a mut [T]) -> Opened<'a, T> {
        let (width, rows) = self.symbolic.nodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension::<T>(BLOCK * rows));
        let (first, triangle) = (self.start[s].column, self.start[s].triangle);
        let triangles = triangle..triangle + substitution::room::<T>(side);
        let (own, below) = room.split_at_mut(leading_dimension::<T>(side));
        own[..side].copy_from_slice(&work[first..first + side]);
        own[side..].fill(T::default());
        let panel = self.start[s].panel..self.start[s + 1].panel;
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
        self.subtract_below(s, below, work);
    }

    /// Subtracts from the unknowns below supernode s.
    #[inline(always)]
    fn subtract_below(&self, s: usize, below: &[T], work: &mut [T]) {
        for (piece, row) in below.chunks_exact(BLOCK).zip(self.symbolic.nodes.rows_of(s)) {
            for (x, y) in work[BLOCK * *row as usize..][..BLOCK].iter_mut().zip(piece) {
                *x -= *y;
            }
        }
    }

    /// Takes the unknowns below supernode s.
    #[inline(always)]
    fn take_below(&self, s: usize, work: &[T], below: &mut [T]) {
        let rows = self.symbolic.nodes.rows_of(s);
        below[BLOCK * rows.len()..].fill(T::default());
        for (piece, row) in below.chunks_exact_mut(BLOCK).zip(rows) {
            piece.copy_from_slice(&work[BLOCK * *row as usize..][..BLOCK]);
        }
    }

    #[inline(always)]
    fn backward<S: Simd>(&self, simd: S, s: usize, work: &mut [T], room: &mut [T]) {
        let Opened { columns, triangles, panel, own, below } = self.open(s, work, room);
        if !below.is_empty() {
            self.take_below(s, work, below);
            substitution::subtract_dots(simd, &self.upper[panel], below, &mut own[..columns.len()]);
        }
        substitution::backward(simd, &self.triangles[triangles], &self.inverses[columns.clone()], own);
        work[columns.clone()].copy_from_slice(&own[..columns.len()]);
    }

    #[inline(always)]
    fn forward_transposed<S: Simd>(&self, simd: S, s: usize, work: &mut [T], room: &mut [T]) {
        let Opened { columns, triangles, panel, own, below } = self.open(s, work, room);
        let inverses = &self.inverses[columns.clone()];
        substitution::forward_transposed(simd, &self.triangles[triangles], inverses, own);
        work[columns.clone()].copy_from_slice(&own[..columns.len()]);
        if !below.is_empty() {
            substitution::product(simd, &self.upper[panel], own, below);
            self.subtract_below(s, below, work);
        }
    }

    #[inline(always)]
    fn backward_transposed<S: Simd>(&self, simd: S, s: usize, work: &mut [T], room: &mut [T]) {
        let Opened { columns, triangles, panel, own, below } = self.open(s, work, room);
        if !below.is_empty() {
            self.take_below(s, work, below);
            substitution::subtract_dots(simd, &self.lower[panel], below, &mut own[..columns.len()]);
        }
        substitution::backward_transposed(simd, &self.triangles[triangles], columns.len(), own);
        for (k, other) in self.swaps[columns.clone()].iter().enumerate().rev() {
            own.swap(k, *other as usize);
        }
        work[columns.clone()].copy_from_slice(&own[..columns.len()]);
    }
}

/// A supernode in the substitutions.
struct Opened<'a, T> {
    /// Its columns among the unknowns in the order of elimination.
    columns: Range<usize>,
    /// Places of its triangles, and of its panels.
    triangles: Range<usize>,
    panel: Range<usize>,
    /// Its unknowns, padded, and room for the rows below.
    own: &'a mut [T],
    below: &'a mut [T],
}

/// Forward and backward substitution.
struct Substitute<'a, T> {
    lu: &'a BlockLu<T>,
    transposed: bool,
    work: &'a mut [T],
    below: &'a mut [T],
}

impl<T: Entry> WithSimd for Substitute<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lu, transposed, work, below } = self;
        let n = lu.symbolic.nodes.count();
        // Closures would not be inlined, and so not be compiled for wide vectors.
        for s in 0..n {
            if transposed {
                lu.forward_transposed(simd, s, work, below);
            } else {
                lu.forward(simd, s, work, below);
            }
        }
        for s in (0..n).rev() {
            if transposed {
                lu.backward_transposed(simd, s, work, below);
            } else {
                lu.backward(simd, s, work, below);
            }
        }
    }
}
