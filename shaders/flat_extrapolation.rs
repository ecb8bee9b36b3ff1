//! Extrapolation of a body along its search direction.

use super::flat_contact::{FACTOR, STOPPED, go_on};
use super::flat_sweep::SWEPT;
use crate::real::Real;

/// Moves a body on. `direction` has the changes of velocity and spin at the start of the last sweep, then
/// the search direction, each with a number that is not used behind three.
pub fn flat_extrapolation<T: Real>(
    swept: &mut [T; SWEPT],
    direction: &mut [T; SWEPT],
    scalars: &[T],
    in_sweep: bool,
) {
    if in_sweep && scalars[STOPPED] > T::zero() {
        return;
    }
    for k in [0, 4] {
        let now = [0, 1, 2].map(|d: usize| swept[k + d]);
        let change = [0, 1, 2].map(|d: usize| now[d] - direction[k + d]);
        let (mut next, mut along) = (now, [0, 1, 2].map(|d: usize| direction[8 + k + d]));
        go_on(&mut next, &mut along, &change, scalars[FACTOR]);
        direction[8 + k..8 + k + 3].copy_from_slice(&along);
        direction[k..k + 3].copy_from_slice(&next);
        swept[k..k + 3].copy_from_slice(&next);
    }
}
