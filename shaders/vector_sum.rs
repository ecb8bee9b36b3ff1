//! Sums of long vectors, one item each.

use crate::real::Real;

/// y + s x.
pub fn vector_sum<T: Real>(s: T, x: T, y: T) -> T {
    y + s * x
}

/// x + s y.
pub fn scaled_sum<T: Real>(s: T, x: T, y: T) -> T {
    x + s * y
}
