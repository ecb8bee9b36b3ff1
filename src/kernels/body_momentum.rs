//! Momentum rows of one body at v = v_k + w, (A w + f − K w) − Jᵀ x, gathered over its contacts in their order: no sum
//! depends on scheduling.

use super::types::{ContactGain, PairRows};
use crate::real::Real;

/// Numbers of a body: A less its body terms (6 × 6 by rows), and f = A v_k − b.
pub const BODY: usize = 42;

/// `w` is v − v_k of all bodies, six numbers each; a term is (2 contact + side, other body).
pub fn body_momentum<T: Real>(
    i: usize,
    body: &[T],
    w: &[T],
    terms: &[[u32; 2]],
    rows: &[PairRows<T>],
    gains: &[ContactGain<T>],
) -> [T; 6] {
    let own = &w[6 * i..6 * i + 6];
    let mut out: [T; 6] = std::array::from_fn(|r| {
        let product = (0..6).fold(T::zero(), |sum, c| sum + body[6 * r + c] * own[c]);
        product + body[36 + r]
    });
    for [term, other] in terms {
        let (c, side) = ((term >> 1) as usize, (term & 1) as usize);
        let other = &w[6 * *other as usize..][..6];
        for (r, out) in out.iter_mut().enumerate() {
            let row = |k: usize| rows[c].jacobian[24 * side + 6 * k + r] * gains[c].impulse[k];
            let stiffness = &rows[c].stiffness[(6 * side + r) * 12..][..12];
            let along =
                |from: usize, w: &[T]| (0..6).fold(T::zero(), |sum, j| sum + stiffness[6 * from + j] * w[j]);
            *out -= row(0) + row(1) + row(2) + row(3);
            *out -= along(side, own) + along(1 - side, other);
        }
    }
    out
}
