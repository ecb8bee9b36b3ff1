//! LU of a small dense matrix with row exchanges: the diagonal blocks of supernodes.

use super::SingularBlock;
use super::entry::{Entry, leading_dimension};
use super::packed::{Packed, Rows, solve_right, subtract_product};
use pulp::Simd;

/// P A = L U in place, row-major with padded rows; `swaps[k]` is the row exchanged with row k.
///
/// # Errors
/// When no pivot is left or it is not finite.
#[inline(always)]
pub fn factorize_dense<S: Simd, T: Entry>(
    simd: S,
    a: &mut [T],
    side: usize,
    swaps: &mut [u32],
    packed: &mut Packed<T>,
) -> Result<(), SingularBlock> {
    let pitch = leading_dimension::<T>(side);
    for strip in 0..side.div_ceil(T::STRIP) {
        let (first, end) = (T::STRIP * strip, (T::STRIP * (strip + 1)).min(side));
        eliminate_strip(simd, a, pitch, (first, end), &mut swaps[first..end], packed.room())?;
        // As in a recursion by halves: with 2^v the largest power of two in strip + 1, the last 2^v strips go
        // into the next 2^v at once, and so the rest of the matrix is seldom read.
        let span = T::STRIP << (strip + 1).trailing_zeros();
        if end < side {
            update(simd, a, pitch, (end - span, end, (end + span).min(side)), packed);
        }
    }
    Ok(())
}

/// Eliminates columns `first..end`: on a copy by columns, then rows are exchanged as a whole.
#[inline(always)]
fn eliminate_strip<S: Simd, T: Entry>(
    simd: S,
    a: &mut [T],
    pitch: usize,
    (first, end): (usize, usize),
    swaps: &mut [u32],
    copy: &mut [T],
) -> Result<(), SingularBlock> {
    let height = a.len() / pitch - first;
    let stride = leading_dimension::<T>(height);
    let (multipliers, copy) = copy[..stride * (end - first + 1)].split_at_mut(stride);
    for (i, row) in a.chunks_exact(pitch).skip(first).enumerate() {
        for (column, x) in copy.chunks_exact_mut(stride).zip(&row[first..end]) {
            column[i] = *x;
        }
    }
    for column in copy.chunks_exact_mut(stride) {
        column[height..].fill(T::default());
        for x in T::vectors_mut::<S>(column).0 {
            *x = T::without_tiny(simd, *x);
        }
    }
    for (k, swap) in swaps.iter_mut().enumerate() {
        let pivot = eliminate_column(simd, copy, (stride, height), k, multipliers)?;
        *swap = (first + pivot) as u32;
    }
    for (k, other) in swaps.iter().enumerate().filter(|(k, other)| first + *k != **other as usize) {
        let (head, tail) = a.split_at_mut(*other as usize * pitch);
        head[(first + k) * pitch..][..pitch].swap_with_slice(&mut tail[..pitch]);
    }
    for (i, row) in a.chunks_exact_mut(pitch).skip(first).enumerate() {
        for (column, x) in copy.chunks_exact(stride).zip(&mut row[first..end]) {
            *x = column[i];
        }
    }
    Ok(())
}

/// Eliminates column k of a matrix by columns of `stride` entries, of which `height` are its own; returns the
/// row it was exchanged with. Works on whole vectors, with multipliers of zero down to the pivot.
#[inline(always)]
fn eliminate_column<S: Simd, T: Entry>(
    simd: S,
    a: &mut [T],
    (stride, height): (usize, usize),
    k: usize,
    multipliers: &mut [T],
) -> Result<usize, SingularBlock> {
    let from = k / T::PAD * T::PAD;
    let multipliers = &mut multipliers[from..];
    multipliers.copy_from_slice(&a[k * stride + from..(k + 1) * stride]);
    multipliers[..k - from].fill(T::default());
    let pivot = from + largest(simd, &multipliers[..height - from], k - from).ok_or(SingularBlock)?;
    let scale = T::ONE / a[k * stride + pivot];
    if !scale.is_number() || scale == T::default() {
        return Err(SingularBlock);
    }
    if pivot != k {
        multipliers.swap(k - from, pivot - from);
        for column in a.chunks_exact_mut(stride) {
            column.swap(k, pivot);
        }
    }
    multipliers[k - from] = T::default();
    let vectors = T::vectors_mut::<S>(multipliers).0;
    for x in &mut *vectors {
        *x = T::without_tiny(simd, T::times(simd, *x, T::splat(simd, scale)));
    }
    let (done, rest) = a.split_at_mut((k + 1) * stride);
    for other in rest.chunks_exact_mut(stride) {
        let factor = T::splat(simd, -other[k]);
        for (y, l) in T::vectors_mut::<S>(&mut other[from..]).0.iter_mut().zip(&*vectors) {
            *y = T::mul_add(simd, factor, *l, *y);
        }
    }
    done[k * (stride + 1) + 1..].copy_from_slice(&multipliers[k + 1 - from..]);
    Ok(pivot)
}

/// Takes the eliminated columns `from..end` into columns `end..to`.
#[inline(always)]
fn update<S: Simd, T: Entry>(
    simd: S,
    a: &mut [T],
    pitch: usize,
    (from, end, to): (usize, usize, usize),
    packed: &mut Packed<T>,
) {
    let rows = Rows { stride: pitch, from: end, to: leading_dimension::<T>(to) };
    let (above, below) = a.split_at_mut(end * pitch);
    let above = &mut above[from * pitch..];
    packed.take_unit_lower(above, pitch, from..end);
    solve_right(simd, above, rows, packed);
    packed.take_transposed(below, pitch, from..end);
    subtract_product(simd, below, (above, rows), packed);
}

/// Place of the largest magnitude from entry `first` on; None where an entry is no number. Entries before it
/// are zeros.
#[inline(always)]
fn largest<S: Simd, T: Entry>(simd: S, x: &[T], first: usize) -> Option<usize> {
    let (vectors, rest) = T::vectors::<S>(x);
    let magnitude = |m, x: &T::Vector<S>| T::max_magnitude(simd, m, *x);
    let mut largest = T::largest(simd, vectors.iter().fold(T::splat(simd, T::default()), magnitude));
    for x in rest {
        largest = if x.magnitude() > largest { x.magnitude() } else { largest };
    }
    x[first..].iter().position(|x| x.magnitude() == largest).map(|place| first + place)
}

#[cfg(test)]
mod tests {
    use super::super::entry::leading_dimension;
    use super::super::packed::Packed;
    use super::{Entry, factorize_dense};

    const STRIP: usize = f64::STRIP;
    use nalgebra::DMatrix;
    use pulp::{Simd, WithSimd};
    use rand::RngExt;
    use rand_pcg::Pcg64;

    struct Factor<'a>(&'a mut [f64], usize, &'a mut [u32], &'a mut Packed<f64>);

    impl WithSimd for Factor<'_> {
        type Output = bool;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> bool {
            factorize_dense(simd, self.0, self.1, self.2, self.3).is_ok()
        }
    }

    /// Random entries with a zero diagonal, so that no pivot is where it stands: P A = L U to round-off, by
    /// every width of vectors with the same bits, for sides of a part of a strip, of whole strips, and of
    /// many.
    #[test]
    fn factors_multiply_to_the_matrix_with_its_rows_exchanged() {
        let mut random = Pcg64::new(7, 11);
        for side in [6, 12, 18, STRIP, 30, 2 * STRIP, 78, 7 * STRIP + 6] {
            let pitch = leading_dimension::<f64>(side);
            let entry = |i: usize, j: usize, x: f64| if i == j { 0.0 } else { x };
            let matrix = DMatrix::from_fn(side, side, |i, j| entry(i, j, random.random_range(-1.0..1.0)));
            let mut rows = vec![0.0; pitch * side];
            for (i, row) in rows.chunks_exact_mut(pitch).enumerate() {
                (0..side).for_each(|j| row[j] = matrix[(i, j)]);
            }
            let mut packed = Packed::new(pitch, pitch);
            let (mut scalar, mut swaps) = (rows.clone(), vec![0; side]);
            assert!(Factor(&mut scalar, side, &mut swaps, &mut packed).with_simd(pulp::Scalar::new()));
            let mut wide = rows.clone();
            assert!(pulp::Arch::new().dispatch(Factor(&mut wide, side, &mut swaps, &mut packed)));
            assert_eq!(scalar, wide, "side {side}");
            let factors = DMatrix::from_fn(side, side, |i, j| wide[i * pitch + j]);
            let lower = factors.lower_triangle();
            let product = (&lower - DMatrix::from_diagonal(&lower.diagonal())
                + DMatrix::identity(side, side))
                * factors.upper_triangle();
            let mut exchanged = matrix.clone();
            for (k, other) in swaps.iter().enumerate() {
                exchanged.swap_rows(k, *other as usize);
            }
            let error = (product - exchanged).amax();
            assert!(error < 1e-12, "side {side}: {error:e}");
        }
    }

    #[test]
    fn a_matrix_without_a_pivot_is_reported() {
        let (side, mut swaps) = (12, vec![0; 12]);
        let mut packed = Packed::new(16, 16);
        let mut equal = vec![1.0; leading_dimension::<f64>(side) * side];
        assert!(!Factor(&mut equal, side, &mut swaps, &mut packed).with_simd(pulp::Scalar::new()));
        let mut broken = vec![f64::NAN; leading_dimension::<f64>(side) * side];
        assert!(!Factor(&mut broken, side, &mut swaps, &mut packed).with_simd(pulp::Scalar::new()));
    }
}
