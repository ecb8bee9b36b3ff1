//! LU of a matrix with a symmetric pattern of 6×6 blocks and unsymmetric values.
//!
//! Exact Coulomb friction makes the Newton matrix unsymmetric, and the Cholesky factor of its symmetric part is a
//! poor preconditioner at large ρ: the coupling of friction to the normal force is amplified by √ρ (measured at
//! 64 bodies: GMRES runs into its limit of 60 from ρ = 3e3 on). No library offers LU on a given symmetric
//! ordering, hence this one: multifrontal over supernodes, in minimum-degree order, pivoting only inside the
//! diagonal blocks of supernodes. Callers check the result (GMRES with the factor as preconditioner).

use super::dense_lu::factorize_dense;
use super::packed::{Packed, Rows, solve_right, subtract_product};
use super::panel::{dot, leading_dimension, subtract_scaled};
use super::supernodes::{Run, Supernodes};
use super::{BLOCK, BLOCK_LEN, BlockPattern, SingularBlock};
use pulp::{Simd, WithSimd};

/// One 6×6 block, row-major.
pub type Block = [f64; BLOCK_LEN];

/// Values of a block matrix by slot of a [`BlockPattern`]: diagonal and lower blocks in `lower`, blocks of the
/// upper triangle (row < column) in `upper` at the same slot less n.
#[derive(Debug, Clone, Default)]
pub struct UnsymmetricBlocks {
    /// Diagonal blocks, then lower ones.
    pub lower: Vec<Block>,
    /// Upper blocks.
    pub upper: Vec<Block>,
}

impl UnsymmetricBlocks {
    /// All zeros, sized for the pattern.
    pub fn reset(&mut self, pattern: &BlockPattern) {
        self.lower.clear();
        self.lower.resize(pattern.n_slots(), [0.0; BLOCK_LEN]);
        self.upper.clear();
        self.upper.resize(pattern.n_slots() - pattern.n(), [0.0; BLOCK_LEN]);
    }

    /// The block at (i, j), whose slot is given.
    pub fn block(&mut self, n: usize, slot: usize, i: usize, j: usize) -> &mut Block {
        if i >= j { &mut self.lower[slot] } else { &mut self.upper[slot - n] }
    }
}

/// Where a slot of the pattern goes.
#[derive(Debug, Clone, Copy)]
struct Target {
    supernode: usize,
    /// Column of blocks in the supernode, row of blocks in its front.
    column: usize,
    row: usize,
    /// The block of the pattern's lower triangle lies in the upper one in elimination order.
    transposed: bool,
}

/// L U in the order of a symbolic analysis. A supernode with w columns and r rows below has a front
/// ```text
///   D  E      D: 6w × 6w, row by row;  L: 6r × 6w, column by column;  Eᵀ like L
///   L  C      C: 6r × 6r, column by column, handed to the parent
/// ```
#[derive(Debug, Default)]
pub struct BlockLu {
    supernodes: Supernodes,
    targets: Vec<Target>,
    /// Where each supernode's D starts in `diagonal`, and L and Eᵀ in `lower` and `upper`.
    start: Vec<(usize, usize)>,
    diagonal: Vec<f64>,
    /// Row swapped with row k while D was factorised.
    swaps: Vec<u32>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Contributions waiting for their parents: (supernode, start in `stack`).
    waiting: Vec<(usize, usize)>,
    stack: Vec<f64>,
    work: Vec<f64>,
    below: Vec<f64>,
    packed: Packed,
}

impl BlockLu {
    /// Orders and analyses a pattern.
    pub fn analyse(&mut self, pattern: &BlockPattern) {
        self.supernodes = Supernodes::new(pattern);
        let nodes = &self.supernodes;
        self.start.clear();
        let (mut diagonal, mut panel, mut widest, mut deepest) = (0, 0, 0, 0);
        for s in 0..nodes.count() {
            self.start.push((diagonal, panel));
            let (width, rows) = nodes.size(s);
            diagonal += leading_dimension(BLOCK * width) * BLOCK * width;
            panel += leading_dimension(BLOCK * rows) * BLOCK * width;
            widest = widest.max(leading_dimension(BLOCK * rows));
            deepest = deepest.max(leading_dimension(BLOCK * width));
        }
        self.start.push((diagonal, panel));
        self.targets.clear();
        self.targets.extend(nodes.place.iter().map(|k| target(nodes, *k, *k)));
        for column in 0..pattern.n() {
            for row in pattern.column(column) {
                self.targets.push(target(nodes, nodes.place[row], nodes.place[column]));
            }
        }
        self.diagonal = vec![0.0; diagonal];
        self.swaps = vec![0; BLOCK * pattern.n()];
        self.lower = vec![0.0; panel];
        self.upper = vec![0.0; panel];
        self.stack = vec![0.0; deepest_stack(nodes)];
        self.work = vec![0.0; BLOCK * pattern.n()];
        self.below = vec![0.0; widest];
        self.packed = Packed::new(deepest, widest.max(deepest));
    }

    /// Multiplications of 6×6 blocks that a factorisation takes.
    pub fn n_block_products(&self) -> usize {
        self.supernodes.n_block_products()
    }

    /// Factorises.
    ///
    /// # Errors
    /// When a diagonal block of a supernode turns out singular.
    pub fn factorize(&mut self, blocks: &UnsymmetricBlocks) -> Result<(), SingularBlock> {
        pulp::Arch::new().dispatch(Factorize { lu: self, blocks })
    }

    /// Writes the values into the fronts.
    #[inline(always)]
    fn scatter(&mut self, blocks: &UnsymmetricBlocks) {
        let n = self.supernodes.order.len();
        self.diagonal.fill(0.0);
        self.lower.fill(0.0);
        self.upper.fill(0.0);
        for (slot, target) in self.targets.iter().enumerate() {
            let (width, rows) = self.supernodes.size(target.supernode);
            let (d, p) = self.start[target.supernode];
            let low = &blocks.lower[slot];
            let side = leading_dimension(BLOCK * width);
            if slot < n {
                place_block(&mut self.diagonal[d..], side, target.column, target.column, low);
                continue;
            }
            let up = &blocks.upper[slot - n];
            let (low, up) = if target.transposed { (up, low) } else { (low, up) };
            if target.row < width {
                place_block(&mut self.diagonal[d..], side, target.row, target.column, low);
                place_block(&mut self.diagonal[d..], side, target.column, target.row, up);
            } else {
                let stride = leading_dimension(BLOCK * rows);
                let at = p + BLOCK * (target.column * stride + target.row - width);
                for r in 0..BLOCK {
                    for c in 0..BLOCK {
                        self.lower[at + c * stride + r] = low[BLOCK * r + c];
                        self.upper[at + r * stride + c] = up[BLOCK * r + c];
                    }
                }
            }
        }
    }

    /// Adds what the children of supernode s handed up; its own C starts at `top` of the stack, above theirs.
    /// Returns where it ends.
    #[inline(always)]
    fn assemble(&mut self, s: usize, top: usize) -> usize {
        let nodes = &self.supernodes;
        let (width, rows) = nodes.size(s);
        let (pitch, stride) = (leading_dimension(BLOCK * width), leading_dimension(BLOCK * rows));
        let end = top + stride * BLOCK * rows;
        let (waiting, own) = self.stack.split_at_mut(top);
        let own = &mut own[..end - top];
        own.fill(0.0);
        let (d, p) = self.start[s];
        let (diagonal, lower, upper) = (&mut self.diagonal[d..], &mut self.lower[p..], &mut self.upper[p..]);
        let first = self.waiting.len() - nodes.n_children[s];
        for (child, at) in &self.waiting[first..] {
            let range = nodes.row_start[*child]..nodes.row_start[child + 1];
            let into = &nodes.in_parent[range];
            let child_stride = leading_dimension(BLOCK * into.len());
            let runs = nodes.runs_of(*child);
            let (inner, outer) = runs.split_at(runs.partition_point(|run| (run.to as usize) < width));
            let inside = &into[..into.partition_point(|t| (*t as usize) < width)];
            let blocks = waiting[*at..].chunks_exact((BLOCK * child_stride).max(1));
            for (rows, to) in blocks.zip(into) {
                let to = *to as usize;
                if to < width {
                    for (r, row) in rows.chunks_exact(child_stride).enumerate() {
                        add_runs(&mut diagonal[(BLOCK * to + r) * pitch..], row, inner, 0);
                        add_runs(&mut upper[(BLOCK * to + r) * stride..], row, outer, width);
                    }
                } else {
                    let at = BLOCK * (to - width);
                    add_transposed(&mut lower[at..], stride, rows, inside);
                    for (r, row) in rows.chunks_exact(child_stride).enumerate() {
                        add_runs(&mut own[(at + r) * stride..], row, outer, width);
                    }
                }
            }
        }
        end
    }

    /// D = Pᵀ L_D U_D, L := L U_D⁻¹, E := L_D⁻¹ P E.
    #[inline(always)]
    fn eliminate<S: Simd>(&mut self, simd: S, s: usize) -> Result<(), SingularBlock> {
        let (width, rows) = self.supernodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension(BLOCK * rows));
        let pitch = leading_dimension(side);
        let (d, p) = self.start[s];
        let diagonal = &mut self.diagonal[d..d + pitch * side];
        let first = BLOCK * self.supernodes.first[s];
        let swaps = &mut self.swaps[first..first + side];
        let (lower, upper) = (&mut self.lower[p..p + stride * side], &mut self.upper[p..p + stride * side]);
        factorize_dense(simd, diagonal, side, swaps, &mut self.packed)?;
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

    /// C −= L E, moved down over the contributions of the children. Returns the new top of the stack.
    #[inline(always)]
    fn contribute<S: Simd>(&mut self, simd: S, s: usize, end: usize) -> usize {
        let (width, rows) = self.supernodes.size(s);
        let stride = leading_dimension(BLOCK * rows);
        let size = stride * BLOCK * rows;
        let panel = self.start[s].1..self.start[s].1 + stride * BLOCK * width;
        let own = end - size..end;
        let (lower, upper) = (&self.lower[panel.clone()], &self.upper[panel]);
        if stride > 0 {
            self.packed.take(lower, stride, BLOCK * rows);
        }
        subtract_product(
            simd,
            &mut self.stack[own.clone()],
            (upper, Rows { stride, from: 0, to: stride }),
            &mut self.packed,
        );
        let first = self.waiting.len() - self.supernodes.n_children[s];
        let to = self.waiting.get(first).map_or(own.start, |(_, at)| *at);
        self.stack.copy_within(own, to);
        self.waiting.truncate(first);
        if rows > 0 {
            self.waiting.push((s, to));
        }
        to + size
    }

    /// Sign of the determinant of what was factorised, 1 or −1.
    pub fn determinant_sign(&self) -> f64 {
        let mut is_negative = false;
        for s in 0..self.supernodes.count() {
            let side = BLOCK * self.supernodes.size(s).0;
            let (diagonal, first) = (self.start[s].0, BLOCK * self.supernodes.first[s]);
            for k in 0..side {
                is_negative ^= self.diagonal[diagonal + k * (leading_dimension(side) + 1)] < 0.0;
                is_negative ^= self.swaps[first + k] as usize != k;
            }
        }
        if is_negative { -1.0 } else { 1.0 }
    }

    /// x := (L U)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let mut work = std::mem::take(&mut self.work);
        for (to, block) in work.chunks_exact_mut(BLOCK).zip(&self.supernodes.order) {
            to.copy_from_slice(&x[BLOCK * block..BLOCK * (block + 1)]);
        }
        let mut below = std::mem::take(&mut self.below);
        pulp::Arch::new().dispatch(Substitute { lu: self, work: &mut work, below: &mut below });
        for (from, block) in work.chunks_exact(BLOCK).zip(&self.supernodes.order) {
            x[BLOCK * block..BLOCK * (block + 1)].copy_from_slice(from);
        }
        (self.work, self.below) = (work, below);
    }

    #[inline(always)]
    fn forward(&self, s: usize, work: &mut [f64], below: &mut [f64]) {
        let (width, rows) = self.supernodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension(BLOCK * rows));
        let pitch = leading_dimension(side);
        let (d, p) = self.start[s];
        let first = BLOCK * self.supernodes.first[s];
        let own = &mut work[first..first + side];
        for (k, other) in self.swaps[first..first + side].iter().enumerate() {
            own.swap(k, *other as usize);
        }
        for k in 0..side {
            own[k] -= dot(&self.diagonal[d + pitch * k..d + pitch * k + k], &own[..k]);
        }
        if stride == 0 {
            return;
        }
        let below = &mut below[..stride];
        below.fill(0.0);
        let panel = &self.lower[p..p + stride * side];
        for (column, x) in panel.chunks_exact(stride).zip(&*own) {
            subtract_scaled(below, *x, column);
        }
        for (piece, row) in below.chunks_exact(BLOCK).zip(self.supernodes.rows_of(s)) {
            add_piece(work, *row as usize, piece);
        }
    }

    #[inline(always)]
    fn backward(&self, s: usize, work: &mut [f64], below: &mut [f64]) {
        let (width, rows) = self.supernodes.size(s);
        let (side, stride) = (BLOCK * width, leading_dimension(BLOCK * rows));
        let pitch = leading_dimension(side);
        let (d, p) = self.start[s];
        let first = BLOCK * self.supernodes.first[s];
        if stride > 0 {
            let below = &mut below[..stride];
            below[BLOCK * rows..].fill(0.0);
            for (piece, row) in below.chunks_exact_mut(BLOCK).zip(self.supernodes.rows_of(s)) {
                piece.copy_from_slice(&work[BLOCK * *row as usize..][..BLOCK]);
            }
            let panel = &self.upper[p..p + stride * side];
            for (column, x) in panel.chunks_exact(stride).zip(&mut work[first..first + side]) {
                *x -= dot(column, below);
            }
        }
        let own = &mut work[first..first + side];
        for k in (0..side).rev() {
            let row = &self.diagonal[d + pitch * k..d + pitch * k + side];
            let (rest, done) = own.split_at_mut(k + 1);
            rest[k] = (rest[k] - dot(&row[k + 1..], done)) / row[k];
        }
    }
}

/// The numeric factorisation, compiled for every width of vectors. (Closures would not be inlined, and so not be
/// compiled for wide ones.)
struct Factorize<'a> {
    lu: &'a mut BlockLu,
    blocks: &'a UnsymmetricBlocks,
}

impl WithSimd for Factorize<'_> {
    type Output = Result<(), SingularBlock>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { lu, blocks } = self;
        lu.scatter(blocks);
        lu.waiting.clear();
        let mut top = 0;
        for s in 0..lu.supernodes.count() {
            top = lu.assemble(s, top);
            lu.eliminate(simd, s)?;
            top = lu.contribute(simd, s, top);
        }
        Ok(())
    }
}

/// Forward and backward substitution.
struct Substitute<'a> {
    lu: &'a BlockLu,
    work: &'a mut [f64],
    below: &'a mut [f64],
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { lu, work, below } = self;
        for s in 0..lu.supernodes.count() {
            lu.forward(s, work, below);
        }
        for s in (0..lu.supernodes.count()).rev() {
            lu.backward(s, work, below);
        }
    }
}

fn target(nodes: &Supernodes, i: usize, j: usize) -> Target {
    let (late, early) = (i.max(j), i.min(j));
    let supernode = nodes.of_column[early];
    Target {
        supernode,
        column: early - nodes.first[supernode],
        row: nodes.place_in_front(supernode, late),
        transposed: i < j,
    }
}

/// Entries of the stack at its fullest: contributions that wait and the one being made.
fn deepest_stack(nodes: &Supernodes) -> usize {
    let (mut waiting, mut top, mut deepest) = (Vec::new(), 0, 0);
    for s in 0..nodes.count() {
        let rows = BLOCK * nodes.size(s).1;
        let size = leading_dimension(rows) * rows;
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
fn place_block(out: &mut [f64], side: usize, i: usize, j: usize, block: &Block) {
    for (r, row) in block.chunks_exact(BLOCK).enumerate() {
        out[(BLOCK * i + r) * side + BLOCK * j..][..BLOCK].copy_from_slice(row);
    }
}

/// Adds the runs of a child's row to a row of its parent that starts at block `first` of the front.
#[inline(always)]
fn add_runs(parent: &mut [f64], child: &[f64], runs: &[Run], first: usize) {
    for run in runs {
        let length = BLOCK * run.length as usize;
        let to = &mut parent[BLOCK * (run.to as usize - first)..][..length];
        for (y, x) in to.iter_mut().zip(&child[BLOCK * run.from as usize..][..length]) {
            *y += x;
        }
    }
}

/// Adds the leading columns of a row of blocks to the columns `into` of a panel.
#[inline(always)]
fn add_transposed(panel: &mut [f64], stride: usize, rows: &[f64], into: &[u32]) {
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

/// Adds six entries at a row of blocks.
#[inline(always)]
fn add_piece(column: &mut [f64], row: usize, piece: &[f64]) {
    for (o, x) in column[BLOCK * row..][..BLOCK].iter_mut().zip(piece) {
        *o += x;
    }
}

#[cfg(test)]
mod tests;
