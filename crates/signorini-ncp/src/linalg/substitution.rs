//! Forward and backward substitution with the factors of one supernode, on whole vectors.
//!
//! Sums have a fixed order per entry and number type: the same bits for every width of vectors.

use super::entry::{Entry, leading_dimension};
use pulp::Simd;

/// Columns whose sums are made at once.
const AT_ONCE: usize = 4;
/// Entries of the widest vectors, at most.
const MOST_STRANDS: usize = 16;

/// Room for the two triangles of a diagonal block with this side.
pub const fn room<T: Entry>(side: usize) -> usize {
    2 * leading_dimension::<T>(side) * side
}

/// Writes the triangles of an LU that is given row by row: the columns of L below the diagonal, then those of
/// U above it, padded and with zeros in all other places, and the inverses of the pivots.
#[inline(always)]
pub fn take_triangles<T: Entry>(lu: &[T], side: usize, triangles: &mut [T], inverses: &mut [T]) {
    let pitch = leading_dimension::<T>(side);
    let (lower, upper) = triangles.split_at_mut(pitch * side);
    // Some rows at once: a column is written line by line of the cache.
    for (strip, rows) in lu.chunks(T::PAD * pitch).enumerate() {
        let first = T::PAD * strip;
        let rows = &rows[..pitch * T::PAD.min(side - first)];
        for k in 0..side {
            let column = if k < first { &mut *lower } else { &mut *upper };
            let out = &mut column[pitch * k + first..][..rows.len() / pitch];
            for (out, row) in out.iter_mut().zip(rows.chunks_exact(pitch)) {
                *out = row[k];
            }
        }
        for (i, row) in rows.chunks_exact(pitch).enumerate() {
            let i = first + i;
            inverses[i] = T::ONE / row[i];
            for k in first..i {
                lower[pitch * k + i] = row[k];
            }
            for k in first..=i {
                upper[pitch * k + i] = T::default();
            }
        }
    }
}

/// x := L⁻¹ x, x padded.
#[inline(always)]
pub fn forward<S: Simd, T: Entry>(simd: S, triangles: &[T], side: usize, x: &mut [T]) {
    for (k, column) in triangles.chunks_exact(x.len()).enumerate().take(side) {
        let from = k / T::PAD * T::PAD;
        subtract_scaled(simd, &mut x[from..], &column[from..], k - from);
    }
}

/// x := U⁻¹ x, x padded.
#[inline(always)]
pub fn backward<S: Simd, T: Entry>(simd: S, triangles: &[T], inverses: &[T], x: &mut [T]) {
    let upper = triangles[x.len() * inverses.len()..].chunks_exact(x.len());
    for (k, (column, inverse)) in upper.zip(inverses).enumerate().rev() {
        x[k] *= *inverse;
        let to = (k / T::PAD + 1) * T::PAD;
        subtract_scaled(simd, &mut x[..to], &column[..to], k);
    }
}

/// x := U⁻ᵀ x, x padded.
#[inline(always)]
pub fn forward_transposed<S: Simd, T: Entry>(simd: S, triangles: &[T], inverses: &[T], x: &mut [T]) {
    let upper = triangles[x.len() * inverses.len()..].chunks_exact(x.len());
    for (k, (column, inverse)) in upper.zip(inverses).enumerate() {
        let to = (k / T::PAD + 1) * T::PAD;
        x[k] = (x[k] - dot(simd, &column[..to], &x[..to])) * *inverse;
    }
}

/// x := L⁻ᵀ x, x padded.
#[inline(always)]
pub fn backward_transposed<S: Simd, T: Entry>(simd: S, triangles: &[T], side: usize, x: &mut [T]) {
    for (k, column) in triangles.chunks_exact(x.len()).enumerate().take(side).rev() {
        let from = k / T::PAD * T::PAD;
        x[k] -= dot(simd, &column[from..], &x[from..]);
    }
}

/// cᵀ x of padded vectors.
#[inline(always)]
fn dot<S: Simd, T: Entry>(simd: S, column: &[T], x: &[T]) -> T {
    let mut out = [T::default()];
    match T::PAD / T::lanes::<S>() {
        1 => dots::<S, T, 1, 1>(simd, column, x, &mut out),
        2 => dots::<S, T, 2, 1>(simd, column, x, &mut out),
        4 => dots::<S, T, 4, 1>(simd, column, x, &mut out),
        8 => dots::<S, T, 8, 1>(simd, column, x, &mut out),
        _ => dots::<S, T, MOST_STRANDS, 1>(simd, column, x, &mut out),
    }
    -out[0]
}

/// x −= x_k c, whole vectors.
#[inline(always)]
fn subtract_scaled<S: Simd, T: Entry>(simd: S, x: &mut [T], column: &[T], k: usize) {
    let scale = T::splat(simd, -x[k]);
    let (x, column) = (T::vectors_mut::<S>(x).0, T::vectors::<S>(column).0);
    for (x, c) in x.iter_mut().zip(column) {
        *x = T::mul_add(simd, *c, scale, *x);
    }
}

/// out := Σ x_k c_k over the columns of a panel.
#[inline(always)]
pub fn product<S: Simd, T: Entry>(simd: S, panel: &[T], x: &[T], out: &mut [T]) {
    let columns = T::vectors::<S>(panel).0;
    let (chunks, rest) = T::vectors_mut::<S>(out).0.as_chunks_mut::<AT_ONCE>();
    let stride = AT_ONCE * chunks.len() + rest.len();
    let start = AT_ONCE * chunks.len();
    for (i, out) in chunks.iter_mut().enumerate() {
        *out = sums::<S, T, AT_ONCE>(simd, columns, stride, AT_ONCE * i, x);
    }
    for (i, out) in rest.iter_mut().enumerate() {
        [*out] = sums::<S, T, 1>(simd, columns, stride, start + i, x);
    }
}

/// Σ x_k c_k in N vectors from `row` on.
#[inline(always)]
fn sums<S: Simd, T: Entry, const N: usize>(
    simd: S,
    columns: &[T::Vector<S>],
    stride: usize,
    row: usize,
    x: &[T],
) -> [T::Vector<S>; N] {
    let mut sum = [T::splat(simd, T::default()); N];
    for (column, x) in columns.chunks_exact(stride).zip(x) {
        let x = T::splat(simd, *x);
        for (sum, c) in sum.iter_mut().zip(&column[row..row + N]) {
            *sum = T::mul_add(simd, *c, x, *sum);
        }
    }
    sum
}

/// x_k −= c_kᵀ y over the columns of a panel.
#[inline(always)]
pub fn subtract_dots<S: Simd, T: Entry>(simd: S, panel: &[T], y: &[T], x: &mut [T]) {
    match T::PAD / T::lanes::<S>() {
        1 => dots::<S, T, 1, AT_ONCE>(simd, panel, y, x),
        2 => dots::<S, T, 2, AT_ONCE>(simd, panel, y, x),
        4 => dots::<S, T, 4, AT_ONCE>(simd, panel, y, x),
        8 => dots::<S, T, 8, AT_ONCE>(simd, panel, y, x),
        _ => dots::<S, T, MOST_STRANDS, AT_ONCE>(simd, panel, y, x),
    }
}

/// Computes [`subtract_dots`] where N vectors make the widest one, of M columns at once.
#[inline(always)]
fn dots<S: Simd, T: Entry, const N: usize, const M: usize>(simd: S, panel: &[T], y: &[T], x: &mut [T]) {
    let stride = y.len();
    let y = T::vectors::<S>(y).0.as_chunks::<N>().0;
    let zero = [T::splat(simd, T::default()); N];
    for (panel, x) in panel.chunks(M * stride).zip(x.chunks_mut(M)) {
        let mut columns = [&panel[..stride]; M];
        for (to, column) in columns.iter_mut().zip(panel.chunks_exact(stride)) {
            *to = column;
        }
        let columns = columns.map(|c| T::vectors::<S>(c).0.as_chunks::<N>().0);
        let mut sums = [zero; M];
        for (i, y) in y.iter().enumerate() {
            for (sum, column) in sums.iter_mut().zip(columns) {
                for n in 0..N {
                    sum[n] = T::mul_add(simd, column[i][n], y[n], sum[n]);
                }
            }
        }
        for (x, sum) in x.iter_mut().zip(&sums) {
            *x -= total::<S, T, N>(sum);
        }
    }
}

/// The sum of a widest vector, by halves.
#[inline(always)]
fn total<S: Simd, T: Entry, const N: usize>(sum: &[T::Vector<S>; N]) -> T {
    let mut strands = [T::default(); MOST_STRANDS];
    T::vectors_mut::<S>(&mut strands[..T::PAD]).0.copy_from_slice(sum);
    let mut width = T::PAD;
    while width > 1 {
        width /= 2;
        for i in 0..width {
            let upper = strands[i + width];
            strands[i] += upper;
        }
    }
    strands[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use pulp::WithSimd;
    use rand::RngExt;
    use rand_pcg::Pcg64;

    struct Solve<'a, T>(&'a [T], usize, &'a [T], &'a [T], &'a mut [T]);

    impl<T: Entry> WithSimd for Solve<'_, T> {
        type Output = Vec<T>;

        /// x := U⁻¹ (L⁻¹ x − Pᵀ y), and after it P x.
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Vec<T> {
            let Self(lu, side, panel, y, x) = self;
            let mut triangles = vec![T::default(); room::<T>(side)];
            let mut inverses = vec![T::default(); side];
            take_triangles(lu, side, &mut triangles, &mut inverses);
            forward(simd, &triangles, side, x);
            subtract_dots(simd, panel, y, &mut x[..side]);
            backward(simd, &triangles, &inverses, x);
            let mut below = vec![T::default(); y.len()];
            product(simd, panel, x, &mut below);
            below
        }
    }

    fn agrees<T: Entry>(side: usize, rows: usize, tolerance: f64) {
        let mut random = Pcg64::new(side as u128, 5);
        let (pitch, stride) = (leading_dimension::<T>(side), leading_dimension::<T>(rows));
        let entry =
            |i: usize, j: usize, x: f64| T::of(x + if i == j { 3.0 + side as f64 } else { 0.0 }).wide();
        let lu = DMatrix::from_fn(side, side, |i, j| entry(i, j, random.random_range(-1.0..1.0)));
        let dense = DMatrix::from_fn(rows, side, |_, _| T::of(random.random_range(-1.0..1.0)).wide());
        let y = DVector::from_fn(rows, |i, _| T::of((i as f64).cos()).wide());
        let b = DVector::from_fn(side, |i, _| T::of((i as f64).sin()).wide());
        let (mut by_rows, mut panel) = (vec![T::default(); pitch * side], vec![T::default(); stride * side]);
        (0..side).for_each(|i| (0..side).for_each(|j| by_rows[pitch * i + j] = T::of(lu[(i, j)])));
        (0..side).for_each(|k| (0..rows).for_each(|r| panel[stride * k + r] = T::of(dense[(r, k)])));
        let padded = |v: &DVector<f64>, to: usize| {
            let mut out = vec![T::default(); to];
            out.iter_mut().zip(v.iter()).for_each(|(o, x)| *o = T::of(*x));
            out
        };
        let (y_padded, mut wide, mut scalar) = (padded(&y, stride), padded(&b, pitch), padded(&b, pitch));
        let below = pulp::Arch::new().dispatch(Solve(&by_rows, side, &panel, &y_padded, &mut wide));
        let same = Solve(&by_rows, side, &panel, &y_padded, &mut scalar).with_simd(pulp::Scalar::new());
        assert!(wide == scalar && below == same, "bits depend on the width of vectors");
        let unit =
            lu.lower_triangle() - DMatrix::from_diagonal(&lu.diagonal()) + DMatrix::identity(side, side);
        let after = unit.solve_lower_triangular(&b).expect("regular") - dense.transpose() * &y;
        let x = lu.upper_triangle().solve_upper_triangular(&after).expect("regular");
        let error = (0..side).map(|i| (wide[i].wide() - x[i]).abs()).fold(0.0, f64::max) / x.amax();
        let product = &dense * &x;
        let other = (0..rows).map(|i| (below[i].wide() - product[i]).abs()).fold(0.0, f64::max) / x.amax();
        assert!(error < tolerance && other < tolerance, "{side} x {rows}: {error:e}, {other:e}");
    }

    /// Sides and rows of part of a vector, of whole ones, and of more than four.
    #[test]
    fn agrees_with_dense_triangles_and_panels() {
        for (side, rows) in [(6, 6), (6, 12), (12, 18), (18, 48), (30, 96), (66, 150), (96, 30)] {
            agrees::<f64>(side, rows, 1e-14);
            agrees::<f32>(side, rows, 1e-5);
        }
    }
}
