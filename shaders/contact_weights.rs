//! Proximal step sizes of one contact from the masses that its force directions move: D = diag(J A⁻¹ Jᵀ) with
//! the diagonal blocks of A.

use super::types::PairRows;
use crate::real::Real;

/// (r_n, r_t) with r_n = 1/D_n and r_t = (friction rows)/(sum of D over them): one number for all of them, so
/// that the ball stays a ball. 0 where nothing moves. `inverse` are the blocks of A⁻¹ of A and B by rows, 0
/// for a fixed body.
pub fn contact_weights<T: Real>(rows: &PairRows<T>, inverse: [&[T]; 2]) -> [T; 2] {
    let moved: [T; 4] = std::array::from_fn(|k| {
        let part = |side: usize| {
            let row = rows.force(side, k);
            (0..6).fold(T::zero(), |sum, i| {
                let product = (0..6).fold(T::zero(), |sum, j| sum + inverse[side][6 * i + j] * row[j]);
                sum + row[i] * product
            })
        };
        part(0) + part(1)
    });
    let invert = |d: T| if d > T::zero() { T::one() / d } else { T::zero() };
    let used = moved[1..].iter().filter(|d| **d > T::zero()).count();
    [invert(moved[0]), T::of(used as f64) * invert(moved[1] + moved[2] + moved[3])]
}
