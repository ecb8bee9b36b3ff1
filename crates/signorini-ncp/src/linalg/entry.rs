//! The numbers of a factor, f64 or f32, and the vectors of them.

use pulp::Simd;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Bytes of the widest vectors.
const WIDEST: usize = 64;

/// A number of a factor. The algorithms are written once for both, down to the order of fused multiply-adds.
pub trait Entry:
    Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    /// Columns are padded with zeros to a multiple of this many entries: the widest vectors.
    const PAD: usize;
    /// Columns of a dense matrix that are eliminated one by one: a multiple of the tile and of the padding.
    const STRIP: usize;
    /// The number 1.
    const ONE: Self;
    /// Entries of factors below this are taken for 0, so that no product of two is subnormal: those take a
    /// hundred times as long.
    const TINY: Self;
    /// A vector.
    type Vector<S: Simd>: Copy;

    /// The nearest number of this precision.
    fn of(x: f64) -> Self;
    /// This number as an f64.
    fn wide(self) -> f64;
    /// Power of two by which entries of this size are multiplied, so that products of factors stay within
    /// range.
    fn scale(largest: f64) -> f64;
    /// |self|.
    fn magnitude(self) -> Self;
    /// Neither infinite nor NaN.
    fn is_number(self) -> bool;

    /// Entries of a vector.
    fn lanes<S: Simd>() -> usize;
    /// A vector whose entries are all `x`.
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Vector<S>;
    /// a b + c, rounded once.
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// a b.
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// a − b.
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// max(a, |b|).
    fn max_magnitude<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// The vector with entries below [`Self::TINY`] set to 0.
    fn without_tiny<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// The largest entry.
    fn largest<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// Vectors of full width, and the remaining numbers.
    fn vectors<S: Simd>(x: &[Self]) -> (&[Self::Vector<S>], &[Self]);
    /// Vectors of full width, and the remaining numbers.
    fn vectors_mut<S: Simd>(x: &mut [Self]) -> (&mut [Self::Vector<S>], &mut [Self]);
}

/// Entries from one column of `rows` rows to the next.
pub const fn leading_dimension<T: Entry>(rows: usize) -> usize {
    rows.next_multiple_of(T::PAD)
}

macro_rules! entry {
    ($number:ident, $vector:ident, $lanes:ident, $splat:ident, $mul_add:ident, $mul:ident, $sub:ident, $max:ident,
     $abs:ident, $reduce_max:ident, $less:ident, $select:ident, $vectors:ident, $vectors_mut:ident, $strip:literal,
     $tiny:expr, $scale:expr) => {
        impl Entry for $number {
            const PAD: usize = WIDEST / size_of::<$number>();
            const STRIP: usize = $strip;
            const ONE: Self = 1.0;
            const TINY: Self = $tiny;
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn of(x: f64) -> Self {
                x as $number
            }
            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn scale(largest: f64) -> f64 {
                $scale(largest)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn is_number(self) -> bool {
                self.is_finite()
            }
            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                S::$lanes
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: Self) -> S::$vector {
                simd.$splat(x)
            }
            #[inline(always)]
            fn mul_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
                simd.$mul_add(a, b, c)
            }
            #[inline(always)]
            fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn max_magnitude<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$max(a, simd.$abs(b))
            }
            #[inline(always)]
            fn without_tiny<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                if Self::TINY == 0.0 {
                    return a;
                }
                let is_tiny = simd.$less(simd.$abs(a), simd.$splat(Self::TINY));
                simd.$select(is_tiny, simd.$splat(0.0), a)
            }
            #[inline(always)]
            fn largest<S: Simd>(simd: S, a: S::$vector) -> Self {
                simd.$reduce_max(a)
            }
            #[inline(always)]
            fn vectors<S: Simd>(x: &[Self]) -> (&[S::$vector], &[Self]) {
                S::$vectors(x)
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(x: &mut [Self]) -> (&mut [S::$vector], &mut [Self]) {
                S::$vectors_mut(x)
            }
        }
    };
}

// Numbers of f64 need no scaling.
entry!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    mul_add_f64s,
    mul_f64s,
    sub_f64s,
    max_f64s,
    abs_f64s,
    reduce_max_f64s,
    less_than_f64s,
    select_f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    24,
    0.0,
    |_: f64| 1.0
);
entry!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    mul_add_f32s,
    mul_f32s,
    sub_f32s,
    max_f32s,
    abs_f32s,
    reduce_max_f32s,
    less_than_f32s,
    select_f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    48,
    SMALLEST_FACTOR,
    power_of_two_below
);

/// 2⁻⁶³, whose square is the smallest normal number. It is negligible beside the largest entry, which is
/// scaled to 1.
const SMALLEST_FACTOR: f32 = f32::from_bits((127 - 63) << 23);

/// 2⁻ᵏ with 2ᵏ the power of two below the number; 1 for numbers that are not positive or not normal.
fn power_of_two_below(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 { (-x.log2().floor()).exp2() } else { 1.0 }
}
