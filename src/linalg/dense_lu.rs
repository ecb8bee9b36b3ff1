//! LU of a small dense matrix with row exchanges: the diagonal blocks of supernodes.

use super::SingularBlock;
use super::panel::{leading_dimension, subtract_product, subtract_scaled};
use pulp::Simd;

/// Columns that are eliminated by row operations before the rest is updated by a product (a multiple of the tile and
/// of the padding).
const STRIP: usize = 24;

/// P A = L U in place, row-major with padded rows; `swaps[k]` is the row exchanged with row k. `transposed` receives the
/// transposed factors.
///
/// # Errors
/// When no pivot is left or it is not finite.
#[inline(always)]
pub fn factorize_dense<S: Simd>(
    simd: S,
    a: &mut [f64],
    transposed: &mut [f64],
    side: usize,
    swaps: &mut [u32],
) -> Result<(), SingularBlock> {
    let pitch = leading_dimension(side);
    for first in (0..side).step_by(STRIP) {
        let end = (first + STRIP).min(side);
        for k in first..end {
            let mut pivot = k;
            for i in k + 1..side {
                if a[i * pitch + k].abs() > a[pivot * pitch + k].abs() {
                    pivot = i;
                }
            }
            let largest = a[pivot * pitch + k];
            if largest == 0.0 || !largest.is_finite() {
                return Err(SingularBlock);
            }
            swaps[k] = pivot as u32;
            let (above, below) = a.split_at_mut((k + 1) * pitch);
            let row = &mut above[k * pitch..];
            if pivot != k {
                row.swap_with_slice(&mut below[(pivot - k - 1) * pitch..][..pitch]);
            }
            let scale = 1.0 / row[k];
            for other in below.chunks_exact_mut(pitch) {
                other[k] *= scale;
                let factor = other[k];
                subtract_scaled(&mut other[k + 1..end], factor, &row[k + 1..end]);
            }
        }
        if end == side {
            break;
        }
        for k in first + 1..end {
            let (above, below) = a.split_at_mut(k * pitch);
            let row = &mut below[..pitch];
            for (l, other) in above.chunks_exact(pitch).enumerate().skip(first) {
                let factor = row[l];
                subtract_scaled(&mut row[end..], factor, &other[end..]);
            }
        }
        for (i, row) in a.chunks_exact(pitch).enumerate().skip(end) {
            for (k, x) in row.iter().enumerate().take(end).skip(first) {
                transposed[k * pitch + i] = *x;
            }
        }
        let (above, below) = a.split_at_mut(end * pitch);
        let factors = &transposed[first * pitch + end..end * pitch];
        subtract_product(simd, below, (&above[first * pitch..], pitch, end), (factors, pitch));
    }
    for (r, row) in a.chunks_exact(pitch).enumerate() {
        for (c, x) in row.iter().enumerate().take(side) {
            transposed[c * pitch + r] = *x;
        }
    }
    Ok(())
}
