//! One contact of a turn of the flat step: its geometry anew at the current velocities of its bodies, the
//! change of Jᵀx that it makes on them, and then its rows solved.

use super::flat_contact::{Inertia, Moving, PROXIMAL, Push, Touching, pushed, solved};
use super::flat_flight::ellipsoid_at_end;
use super::flat_parameters::{FRICTION_STEP, LEAST_RESPONSE, SHORT_TANGENT};
use super::flat_sweep::{SWEPT, moving_of, put_moving};
use super::smooth_pair::{Closest, Ellipsoid, Search, closest_points_with, plane_gap, tangents};
use super::types::{FlatBody, FlatFrame, FlatRow, FlatState, PairKey, symmetric, vector};
use crate::real::Real;
use nalgebra::Vector3;

/// Numbers of a body that a turn reads: velocity (m/s) and unit (N s), spin (rad/s) and h (s).
pub type Base<T> = [T; 8];

/// Numbers of a contact that a turn changes.
pub struct Turned<'a, T: Real> {
    /// Frame.
    pub frame: &'a mut FlatFrame<T>,
    /// Rows.
    pub row: &'a mut FlatRow<T>,
    /// Impulses.
    pub state: &'a mut FlatState<T>,
    /// Bodies as sweeps see them.
    pub swept: [&'a mut [T; SWEPT]; 2],
}

/// The last tangent carried along with the normal, or any where it has come near the normal.
fn carried<T: Real>(n: &Vector3<T>, last: &Vector3<T>) -> Vector3<T> {
    let across = last - n * n.dot(last);
    let square = across.norm_squared();
    if square > T::of(SHORT_TANGENT) { across / square.sqrt() } else { tangents(n).0 }
}

/// Contact and gap (m) of two ellipsoids at the end of the step.
fn meeting<T: Real>(
    key: &PairKey,
    frame: &FlatFrame<T>,
    row: &FlatRow<T>,
    [a, b]: [Ellipsoid<T>; 2],
    search: &Search<T>,
) -> (Touching<T>, T) {
    let (way, start) = (b.center - a.center + vector(&frame.shift), vector(&frame.normal));
    let at: Closest<T> = if key.has(PairKey::PLANE) {
        plane_gap(&start, -frame.offset[0], &b)
    } else {
        let [a, b] = [Ellipsoid { center: Vector3::zeros(), ..a }, Ellipsoid { center: way, ..b }];
        closest_points_with(&a, &b, &start, search)
    };
    // The reaction on a half-space moves nothing; the velocity of its surface is taken at the contact.
    let arm_a = if key.has(PairKey::PLANE) { way + at.support_b } else { at.support_a };
    let (n, t) = (at.normal, carried(&at.normal, &vector(&row.tangent)));
    (Touching { frame: [n, t, n.cross(&t)], arms: [arm_a, at.support_b], torsion: row.torsion[0] }, at.gap)
}

/// Step sizes and couplings of the rows.
fn put_steps<T: Real>(row: &mut FlatRow<T>, contact: &Touching<T>, inertia: &Inertia<T>) {
    let pushes = [0, 1, 2, 3].map(|k: usize| {
        let mut unit = [T::zero(); 4];
        unit[k] = T::one();
        contact.push(&unit)
    });
    let couple = |i: usize, j: usize| {
        let of = |side: usize| {
            let turned = inertia[side].1 * pushes[i].moments[side];
            turned.dot(&pushes[j].moments[side])
        };
        of(0) + of(1)
    };
    let m = inertia[0].0 + inertia[1].0;
    let (d_tt, d_oo, d_rr) = (m + couple(1, 1), m + couple(2, 2), couple(3, 3));
    let off = Vector3::new(couple(1, 2), couple(1, 3), couple(2, 3)).norm_squared();
    let least = T::of(LEAST_RESPONSE);
    let square = d_tt * d_tt + d_oo * d_oo + d_rr * d_rr + (off + off);
    row.normal_step = [T::one() / (m + couple(0, 0)).max(least)];
    row.friction_step = [if contact.torsion > T::zero() {
        T::of(FRICTION_STEP) / square.sqrt().max(least)
    } else {
        T::of(2.0) / (d_tt + d_oo).max(least)
    }];
    row.coupling = [couple(0, 1), couple(0, 2), couple(0, 3)];
}

fn added<T: Real>(a: &Moving<T>, b: &Moving<T>) -> Moving<T> {
    [0, 1].map(|side: usize| [0, 1].map(|k: usize| a[side][k] + b[side][k]))
}

/// Renews the geometry of a contact and solves it.
pub fn flat_turn<T: Real>(
    key: &PairKey,
    of: Turned<'_, T>,
    (bodies, bases): ([&FlatBody<T>; 2], [&Base<T>; 2]),
    scalars: &[T],
    search: &Search<T>,
) {
    let Turned { frame, row, state, swept } = of;
    let h = bases[1][7];
    let base = bases.map(|b| [Vector3::new(b[0], b[1], b[2]), Vector3::new(b[4], b[5], b[6])]);
    let change = moving_of([&*swept[0], &*swept[1]]);
    let v = added(&base, &change);
    let ends = [0, 1].map(|side: usize| ellipsoid_at_end(bodies[side], &v[side][0], &v[side][1], h));
    let (contact, gap) = meeting(key, frame, row, ends, search);
    let inertia = bodies.map(|body| (body.inverse_mass[0], symmetric(&body.inverse_inertia)));
    let x = state.impulse;
    let acting = [x[0] - frame.pull[0], x[1], x[2], x[3]];
    let (old, new) = (Touching::of(row).push(&acting), contact.push(&acting));
    let moments = [0, 1].map(|side: usize| new.moments[side] - old.moments[side]);
    let moved = Push { impulse: new.impulse - old.impulse, moments };
    let corrected = pushed(&change, &moved, &inertia);
    // The gap is that at the velocities found; the change of Jᵀx moves it along.
    let offset = gap / h - contact.slip(&v)[0];
    let mut y_base = contact.slip(&base);
    y_base[0] += offset;
    put_steps(row, &contact, &inertia);
    let slip = contact.slip(&corrected);
    let y = [0, 1, 2, 3].map(|k: usize| y_base[k] + slip[k]);
    state.impulse = solved(row, &y, &x, &state.centre, scalars[PROXIMAL]);
    state.change = [0, 1, 2, 3].map(|k: usize| state.impulse[k] - x[k]);
    put_moving(&pushed(&corrected, &contact.push(&state.change), &inertia), swept);
    let per_unit = T::one() / bases[0][3].min(bases[1][3]);
    (row.normal, row.tangent) = (contact.frame[0].into(), contact.frame[1].into());
    (row.arm_a, row.arm_b) = (contact.arms[0].into(), contact.arms[1].into());
    (row.offset, row.per_unit, frame.normal) = (y_base, [per_unit], row.normal);
    state.moved = [moved.impulse.norm() * per_unit];
}
