//! Slip of one frozen contact at another velocity, y = y_k + Y (v − v_k): affine, so that a trial costs one dispatch.

use super::types::PairRows;
use crate::real::Real;

/// `w` is v − v_k of bodies A and B, six numbers each.
pub fn contact_slip<T: Real>(rows: &PairRows<T>, w: [&[T]; 2]) -> [T; 4] {
    std::array::from_fn(|k| {
        let part = |side: usize| {
            let row = &rows.response[24 * side + 6 * k..][..6];
            let half = |at: usize| {
                row[at] * w[side][at] + row[at + 1] * w[side][at + 1] + row[at + 2] * w[side][at + 2]
            };
            half(0) + half(3)
        };
        rows.slip[k] + (part(0) + part(1))
    })
}
