//! Products of dense panels, the bulk of a supernodal factorisation.
//!
//! Fused multiply-adds in a fixed order per entry: the same bits on every machine and for every width of vectors.

use pulp::Simd;

/// Columns per tile: the width of a block.
pub const TILE: usize = 6;
/// Columns of panels are padded with zeros to a multiple of this many entries: the widest vectors.
pub const PAD: usize = 8;

/// Entries from one column of a panel with `rows` rows to the next.
pub fn leading_dimension(rows: usize) -> usize {
    rows.next_multiple_of(PAD)
}

/// C −= A B from row `from` (a multiple of [`PAD`]) on: C and A column by column, padded, with `stride` entries per
/// column; B row by row, `b_stride` entries from one row to the next. A has as many columns as B rows, C a multiple of
/// [`TILE`].
#[inline(always)]
pub fn subtract_product<S: Simd>(
    simd: S,
    c: &mut [f64],
    (a, stride, from): (&[f64], usize, usize),
    (b, b_stride): (&[f64], usize),
) {
    if stride == 0 || a.is_empty() {
        return;
    }
    for (strip, columns) in c.chunks_exact_mut(TILE * stride).enumerate() {
        let b = &b[TILE * strip..];
        let mut row = from;
        while row + 2 * S::F64_LANES <= stride {
            tile::<S, 2>(simd, columns, a, stride, row, b, b_stride);
            row += 2 * S::F64_LANES;
        }
        while row < stride {
            tile::<S, 1>(simd, columns, a, stride, row, b, b_stride);
            row += S::F64_LANES;
        }
    }
}

/// V vectors of rows by [`TILE`] columns of C.
#[inline(always)]
fn tile<S: Simd, const V: usize>(
    simd: S,
    c: &mut [f64],
    a: &[f64],
    stride: usize,
    row: usize,
    b: &[f64],
    b_stride: usize,
) {
    let rows = row..row + V * S::F64_LANES;
    let mut sum = [[simd.splat_f64s(0.0); V]; TILE];
    for (a, b) in a.chunks_exact(stride).zip(b.chunks(b_stride)) {
        let a = S::as_simd_f64s(&a[rows.clone()]).0;
        let b = &b[..TILE];
        for (sum, b) in sum.iter_mut().zip(b) {
            let b = simd.splat_f64s(*b);
            for (sum, a) in sum.iter_mut().zip(a) {
                *sum = simd.mul_add_f64s(*a, b, *sum);
            }
        }
    }
    for (c, sum) in c.chunks_exact_mut(stride).zip(&sum) {
        let c = S::as_mut_simd_f64s(&mut c[rows.clone()]).0;
        for (c, sum) in c.iter_mut().zip(sum) {
            *c = simd.sub_f64s(*c, *sum);
        }
    }
}

/// y −= s x.
#[inline(always)]
pub fn subtract_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = (-s).mul_add(*x, *y);
    }
}

/// aᵀ b, summed in eight strands.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; PAD];
    let (a_chunks, b_chunks) = (a.chunks_exact(PAD), b.chunks_exact(PAD));
    let mut rest = 0.0;
    for (a, b) in a_chunks.remainder().iter().zip(b_chunks.remainder()) {
        rest = a.mul_add(*b, rest);
    }
    for (a, b) in a_chunks.zip(b_chunks) {
        for ((s, a), b) in strands.iter_mut().zip(a).zip(b) {
            *s = a.mul_add(*b, *s);
        }
    }
    let [a, b, c, d, e, f, g, h] = strands;
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
}
