//! Extrapolation of sweeps, one number of impulses and motions: x += β p, then p := β p + Δx.

use super::sweep_change::{EXTRAPOLATED, FIRST_DIRECTION, SWEEP_MODE, SWEEP_STEP};
use crate::real::Real;

/// Returns x and p, and the number that the sweep starts from in place of Δx.
pub fn sweep_extrapolation<T: Real>(scalars: &[T], [x, direction, change]: [T; 3]) -> [T; 3] {
    let mode = scalars[SWEEP_MODE];
    if mode == T::of(EXTRAPOLATED) {
        let along = scalars[SWEEP_STEP] * direction;
        return [x + along, along + change, x + along];
    }
    [x, if mode == T::of(FIRST_DIRECTION) { change } else { direction }, x]
}
