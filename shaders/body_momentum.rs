//! Momentum rows of one body at v = v_k + w, (A w + f − K w) − Jᵀ x, gathered over its contacts in their
//! order: no sum depends on scheduling.

use super::pair_rows::{relative, stiffness_place};
use super::types::{ContactDerivative, PairRows};
use super::wrench::sign;
use crate::real::Real;

/// Numbers of a body: A less its body terms (6 × 6 by rows), f = A v_k − b, and two that are not used.
pub const BODY: usize = 44;

/// Momentum rows of a body; `w` is v − v_k of all bodies, six numbers each; a term is (2 contact + side,
/// other body).
pub fn body_momentum<T: Real>(
    i: usize,
    body: &[T],
    w: &[T],
    terms: &[[u32; 2]],
    rows: &[PairRows<T>],
    derivatives: &[ContactDerivative<T>],
) -> [T; 6] {
    let own = &w[6 * i..6 * i + 6];
    let mut out: [T; 6] = std::array::from_fn(|r| {
        let product = (0..6).fold(T::zero(), |sum, c| sum + body[6 * r + c] * own[c]);
        product + body[36 + r]
    });
    for [term, other] in terms {
        let (c, side) = ((term >> 1) as usize, (term & 1) as usize);
        let other = &w[6 * *other as usize..][..6];
        let seen = relative(if side == 0 { [own, other] } else { [other, own] });
        let (rows, x) = (&rows[c], &derivatives[c].impulse);
        let force = [0, 1, 2, 3].map(|k| rows.force(side, k));
        for (r, out) in out.iter_mut().enumerate() {
            // Forces are stored for B.
            let (row, sign) = if r < 3 { (r, sign::<T>(side)) } else { (r + 3 * side, T::one()) };
            let part = |block: usize| {
                let (k, w) = (&rows.stiffness[stiffness_place(row, 3 * block)..], &seen[3 * block..]);
                k[0] * w[0] + k[1] * w[1] + k[2] * w[2]
            };
            *out -= force[0][r] * x[0] + force[1][r] * x[1] + force[2][r] * x[2] + force[3][r] * x[3];
            *out -= (part(0) + (part(1) + part(2))) * sign;
        }
    }
    out
}
