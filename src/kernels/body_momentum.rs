//! Momentum rows of one body, M v − b − Jᵀ x, gathered over its contacts in their order: no sum depends on scheduling.

use super::types::{ContactGain, PairRows};
use crate::real::Real;

/// Numbers of a body: M (6 × 6 by rows), v, b.
pub const BODY: usize = 48;

/// `terms` are 2 contact + side.
pub fn body_momentum<T: Real>(
    body: &[T],
    terms: &[u32],
    rows: &[PairRows<T>],
    gains: &[ContactGain<T>],
) -> [T; 6] {
    let (v, b) = (&body[36..42], &body[42..48]);
    let mut out: [T; 6] = std::array::from_fn(|r| {
        let product = (0..6).fold(T::zero(), |sum, c| sum + body[6 * r + c] * v[c]);
        product - b[r]
    });
    for term in terms {
        let (c, side) = ((term >> 1) as usize, (term & 1) as usize);
        for (r, out) in out.iter_mut().enumerate() {
            let row = |k: usize| rows[c].jacobian[24 * side + 6 * k + r] * gains[c].impulse[k];
            *out -= row(0) + row(1) + row(2) + row(3);
        }
    }
    out
}
