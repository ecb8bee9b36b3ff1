//! Heights of the corners of a box above a half-space: the features of that pair.

use super::types::{BoxPair, matrix, vector};
use crate::real::Real;
use nalgebra::Vector3;

/// Heights of the corners; corner k has the signs of the bits of k. The half-space is A: its normal is the
/// third column of its rotation, and `offset` runs from a point of its plane to the box's centre.
pub fn box_half_space<T: Real>(pair: &BoxPair<T>) -> [T; 8] {
    let n: Vector3<T> = matrix(&pair.rotation_a).column(2).into();
    let along = matrix(&pair.rotation_b).tr_mul(&n).component_mul(&vector(&pair.half_b));
    let centre = n.dot(&vector(&pair.offset));
    std::array::from_fn(|k| {
        let signed = |bit: usize| if k >> bit & 1 == 1 { along[bit] } else { -along[bit] };
        centre + signed(0) + signed(1) + signed(2)
    })
}
