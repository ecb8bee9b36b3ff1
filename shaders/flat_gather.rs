//! Velocities that the impulses on a body explain, summed over its contacts in their order.

use super::flat_contact::Touching;
use super::types::{FlatBody, FlatFrame, FlatRow, FlatState, symmetric};
use crate::real::Real;
use nalgebra::Vector3;

/// Numbers of a contact that the check of a solution reads: impulse, normal and 0, tangent and 0.
pub const ANSWER: usize = 12;

/// Contacts as bodies gather them.
#[derive(Debug, Clone, Copy)]
pub struct Gathering<'a, T> {
    /// For each body where its contacts begin, and the end; then contact · 2 + side, body by body.
    pub incidence: &'a [u32],
    /// Rows.
    pub rows: &'a [FlatRow<T>],
    /// Impulses.
    pub states: &'a [FlatState<T>],
    /// Frames.
    pub frames: &'a [FlatFrame<T>],
}

/// Velocity (m/s) and unit (N s), spin (rad/s) and 0 of body number i.
pub fn flat_gather<T: Real>(i: usize, body: &FlatBody<T>, of: &Gathering<'_, T>) -> [T; 8] {
    let (mut impulse, mut moment, mut unit) = (Vector3::zeros(), Vector3::zeros(), body.acting[0]);
    let range = of.incidence[i] as usize..of.incidence[i + 1] as usize;
    for word in &of.incidence[range] {
        let (c, side) = ((word >> 1) as usize, (word & 1) as usize);
        let x = of.states[c].impulse;
        unit = unit.max(x[0]);
        let push = Touching::of(&of.rows[c]).push(&[x[0] - of.frames[c].pull[0], x[1], x[2], x[3]]);
        let sign = if side == 1 { T::one() } else { -T::one() };
        impulse += push.impulse * sign;
        moment += push.moments[side] * sign;
    }
    let [vx, vy, vz, wx, wy, wz] = body.free;
    let v = Vector3::new(vx, vy, vz) + impulse * body.inverse_mass[0];
    let w = Vector3::new(wx, wy, wz) + symmetric(&body.inverse_inertia) * moment;
    [v.x, v.y, v.z, unit, w.x, w.y, w.z, T::zero()]
}

/// Numbers of a contact that the check reads.
pub fn flat_answers<T: Real>(row: &FlatRow<T>, state: &FlatState<T>) -> [T; ANSWER] {
    let ([a, b, c], [d, e, f], zero) = (row.normal, row.tangent, T::zero());
    let [n, t, o, r] = state.impulse;
    [n, t, o, r, a, b, c, zero, d, e, f, zero]
}
