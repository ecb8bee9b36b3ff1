//! One contact of a sweep of the flat step: its rows solved with all others held, on changes of velocity
//! since the last turn.

use super::flat_contact::{AGE, FACTOR, Moving, PROXIMAL, STOPPED, Touching, inertia_of, pushed, solved};
use super::types::{FlatRow, FlatState};
use crate::real::Real;
use nalgebra::Vector3;

/// Numbers of a body as sweeps see it: change of velocity and 1/m, of spin and 0, I⁻¹ and two zeros.
pub const SWEPT: usize = 16;

/// Changes of the velocities of two bodies.
pub fn moving_of<T: Real>(bodies: [&[T; SWEPT]; 2]) -> Moving<T> {
    bodies.map(|b| [Vector3::new(b[0], b[1], b[2]), Vector3::new(b[4], b[5], b[6])])
}

/// Writes the changes of two bodies' velocities back, unless nothing moves them.
pub fn put_moving<T: Real>(moving: &Moving<T>, bodies: [&mut [T; SWEPT]; 2]) {
    for (body, [v, w]) in bodies.into_iter().zip(moving) {
        if body[3] > T::zero() {
            body[..3].copy_from_slice(v.as_slice());
            body[4..7].copy_from_slice(w.as_slice());
        }
    }
}

/// Solves a contact between two bodies.
pub fn flat_sweep<T: Real>(
    row: &FlatRow<T>,
    state: &mut FlatState<T>,
    bodies: [&mut [T; SWEPT]; 2],
    scalars: &[T],
) {
    if scalars[STOPPED] > T::zero() {
        return;
    }
    state.go_on(scalars[FACTOR], scalars[AGE]);
    let seen = [&*bodies[0], &*bodies[1]];
    let (before, inertia) = (moving_of(seen), seen.map(|body| inertia_of(body)));
    let contact = Touching::of(row);
    let slip = contact.slip(&before);
    let y = [0, 1, 2, 3].map(|k: usize| row.offset[k] + slip[k]);
    let x = state.impulse;
    state.impulse = solved(row, &y, &x, &state.centre, scalars[PROXIMAL]);
    state.change = [0, 1, 2, 3].map(|k: usize| state.impulse[k] - x[k]);
    put_moving(&pushed(&before, &contact.push(&state.change), &inertia), bodies);
}
