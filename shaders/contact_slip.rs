//! Constraint velocity of one linearized contact at another velocity, y = y_k + Y (v − v_k): affine, so that
//! a trial costs one dispatch.

use super::pair_rows::relative;
use super::types::PairRows;
use crate::real::Real;

/// Slip of a contact; `w` is v − v_k of bodies A and B, six numbers each.
pub fn contact_slip<T: Real>(rows: &PairRows<T>, w: [&[T]; 2]) -> [T; 4] {
    let seen = relative(w);
    std::array::from_fn(|k| {
        let part = |block: usize| {
            let (row, w) = (&rows.response[12 * block + 3 * k..][..3], &seen[3 * block..]);
            row[0] * w[0] + row[1] * w[1] + row[2] * w[2]
        };
        rows.slip[k] + (part(0) + (part(1) + part(2)))
    })
}
