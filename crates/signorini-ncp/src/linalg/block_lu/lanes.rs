//! Forward and backward substitution for several right-hand sides at once, one in each lane. (Closures would
//! not be inlined, and so not be compiled for wide vectors.)

use super::BlockLu;
use crate::linalg::entry::{Entry, leading_dimension};
use crate::linalg::{BLOCK, Room};
use pulp::{Simd, WithSimd};

/// Right-hand sides that are solved for at once: those of the widest vectors.
pub const LANES: usize = f64::PAD;

/// Lanes of a few right-hand sides, which take half as long.
pub const FEW_LANES: usize = LANES / 2;

/// Numbers of a vector, one in each lane.
pub type Lanes = [f64; LANES];

/// Sums of a dot product that take turns.
const STRANDS: usize = 8;

impl BlockLu {
    /// x := (L U)⁻¹ x, lane by lane.
    pub fn solve_lanes<const W: usize>(&mut self, x: &mut [[f64; W]]) {
        let order = &self.symbolic.nodes.order;
        let mut work = Room::<W>::zeros(BLOCK * order.len());
        for (to, block) in work.chunks_exact_mut(BLOCK).zip(order) {
            to.copy_from_slice(&x[BLOCK * block..][..BLOCK]);
        }
        let mut below = Room::<W>::zeros(self.below.len());
        in_lanes::<W, _>(Substitute { lu: self, work: &mut work, below: &mut below });
        for (from, block) in work.chunks_exact(BLOCK).zip(order) {
            let to = x[BLOCK * block..].as_flattened_mut().iter_mut();
            to.zip(from.as_flattened()).for_each(|(x, from)| *x = self.scale * from);
        }
    }
}

struct Substitute<'a, const W: usize> {
    lu: &'a BlockLu,
    work: &'a mut [[f64; W]],
    below: &'a mut [[f64; W]],
}

impl<const W: usize> WithSimd for Substitute<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { lu, work, below } = self;
        let work = S::as_mut_simd_f64s(work.as_flattened_mut()).0;
        let below = S::as_mut_simd_f64s(below.as_flattened_mut()).0;
        for s in 0..lu.symbolic.nodes.count() {
            forward::<S, W>(simd, lu, s, work);
        }
        for s in (0..lu.symbolic.nodes.count()).rev() {
            backward::<S, W>(simd, lu, s, work, below);
        }
    }
}

/// Computes with the widest vectors that so many lanes fill.
pub fn in_lanes<const W: usize, Op: WithSimd>(op: Op) -> Op::Output {
    #[cfg(target_arch = "x86_64")]
    if W < LANES {
        return match pulp::x86::V3::try_new() {
            Some(simd) => Simd::vectorize(simd, op),
            None => Simd::vectorize(pulp::Scalar::new(), op),
        };
    }
    pulp::Arch::new().dispatch(op)
}

/// Vectors that hold the lanes of one number.
#[inline(always)]
pub const fn strips<S: Simd, const W: usize>() -> usize {
    W / S::F64_LANES
}

#[inline(always)]
fn forward<S: Simd, const W: usize>(simd: S, lu: &BlockLu, s: usize, work: &mut [S::f64s]) {
    let strips = strips::<S, W>();
    let (width, rows) = lu.symbolic.nodes.size(s);
    let (side, stride) = (BLOCK * width, leading_dimension::<f64>(BLOCK * rows));
    let pitch = leading_dimension::<f64>(side);
    let start = lu.start[s];
    // Rows below come later in the order.
    let (before, after) = work.split_at_mut((start.column + side) * strips);
    let own = &mut before[start.column * strips..];
    for (k, other) in lu.swaps[start.column..][..side].iter().enumerate() {
        for strip in 0..strips {
            own.swap(k * strips + strip, *other as usize * strips + strip);
        }
    }
    let triangle = &lu.triangles[start.triangle..][..pitch * side];
    for strip in 0..strips {
        for (k, column) in triangle.chunks_exact(pitch).enumerate() {
            let by = simd.neg_f64s(own[k * strips + strip]);
            for (i, c) in column[..side].iter().enumerate().skip(k + 1) {
                let x = &mut own[i * strips + strip];
                *x = simd.mul_add_f64s(simd.splat_f64s(*c), by, *x);
            }
        }
        let panel = &lu.lower[start.panel..][..stride * side];
        for (j, row) in lu.symbolic.nodes.rows_of(s).iter().enumerate() {
            let mut sums = [simd.splat_f64s(0.0); BLOCK];
            for (k, column) in panel.chunks_exact(stride).enumerate() {
                let x = own[k * strips + strip];
                let column = &column[BLOCK * j..][..BLOCK];
                for n in 0..BLOCK {
                    sums[n] = simd.mul_add_f64s(simd.splat_f64s(column[n]), x, sums[n]);
                }
            }
            let first = BLOCK * *row as usize - start.column - side;
            for (n, sum) in sums.into_iter().enumerate() {
                let x = &mut after[(first + n) * strips + strip];
                *x = simd.sub_f64s(*x, sum);
            }
        }
    }
}

#[inline(always)]
fn backward<S: Simd, const W: usize>(
    simd: S,
    lu: &BlockLu,
    s: usize,
    work: &mut [S::f64s],
    below: &mut [S::f64s],
) {
    let strips = strips::<S, W>();
    let (width, rows) = lu.symbolic.nodes.size(s);
    let (side, stride) = (BLOCK * width, leading_dimension::<f64>(BLOCK * rows));
    let pitch = leading_dimension::<f64>(side);
    let start = lu.start[s];
    let below = &mut below[..stride * strips];
    below[BLOCK * rows * strips..].fill(simd.splat_f64s(0.0));
    for (piece, row) in below.chunks_exact_mut(BLOCK * strips).zip(lu.symbolic.nodes.rows_of(s)) {
        piece.copy_from_slice(&work[BLOCK * *row as usize * strips..][..BLOCK * strips]);
    }
    let own = &mut work[start.column * strips..][..side * strips];
    let triangle = &lu.triangles[start.triangle + pitch * side..][..pitch * side];
    let inverses = &lu.inverses[start.column..][..side];
    for strip in 0..strips {
        if stride > 0 {
            let panel = &lu.upper[start.panel..][..stride * side];
            for (k, column) in panel.chunks_exact(stride).enumerate() {
                let x = &mut own[k * strips + strip];
                *x = simd.sub_f64s(*x, dot::<S, W>(simd, column, below, strip));
            }
        }
        for (k, (column, inverse)) in triangle.chunks_exact(pitch).zip(inverses).enumerate().rev() {
            let x = simd.mul_f64s(own[k * strips + strip], simd.splat_f64s(*inverse));
            own[k * strips + strip] = x;
            let by = simd.neg_f64s(x);
            for (i, c) in column[..k].iter().enumerate() {
                let x = &mut own[i * strips + strip];
                *x = simd.mul_add_f64s(simd.splat_f64s(*c), by, *x);
            }
        }
    }
}

/// Σ c_i y_i, in strands that are added by halves.
#[inline(always)]
fn dot<S: Simd, const W: usize>(simd: S, column: &[f64], y: &[S::f64s], strip: usize) -> S::f64s {
    let strips = strips::<S, W>();
    let mut sums = [simd.splat_f64s(0.0); STRANDS];
    let y = y.chunks_exact(STRANDS * strips);
    for (column, y) in column.as_chunks::<STRANDS>().0.iter().zip(y) {
        for n in 0..STRANDS {
            sums[n] = simd.mul_add_f64s(simd.splat_f64s(column[n]), y[n * strips + strip], sums[n]);
        }
    }
    let a = simd.add_f64s(simd.add_f64s(sums[0], sums[4]), simd.add_f64s(sums[2], sums[6]));
    let b = simd.add_f64s(simd.add_f64s(sums[1], sums[5]), simd.add_f64s(sums[3], sums[7]));
    simd.add_f64s(a, b)
}
