//! The rows of one smooth pair with their derivatives, at which the step problem is linearized (theory §5.1).

use super::constants::BLOCK;
use super::grain::{faded, is_fading};
use super::pair_rows::stiffness_place;
use super::pair_tangent::{PairTangent, curved_pair, plane_pair};
use super::types::{BodyState, PairGeometry, PairKey, PairRows, PairState, matrix, symmetric, vector};
use super::wrench::{Motion, PointLoad, Wrench, WrenchPoint, turn_normal, write_normal};
use crate::real::Real;
use nalgebra::Matrix3;

/// Numbers of a side: four rows.
const SIDE: usize = 4 * BLOCK;

/// Rows of one pair, as the shader's thread computes them. Rows that the pair lacks stay 0, and so does the
/// stiffness of a pair without load.
pub fn contact_rows<T: Real>(
    bodies: [&BodyState<T>; 2],
    pair: &PairState<T>,
    key: &PairKey,
    at: &PairGeometry<T>,
    time_step: T,
) -> PairRows<T> {
    let mut rows = PairRows::filled(T::zero());
    let normal = vector(&at.normal);
    let tangent = vector(&at.tangent);
    let point = WrenchPoint { normal, arms: [vector(&at.arm_a), vector(&at.arm_b)] };
    let n_friction = match (key.has(PairKey::FRICTION), key.has(PairKey::TORSION)) {
        (false, _) => 0,
        (true, false) => 2,
        (true, true) => 3,
    };
    let ([e_t, e_o, _], direction) = (pair.scale, vector(&pair.direction));
    let fades = key.has(PairKey::DIRECTED) && is_fading(&direction, &normal);
    let cross = normal.cross(&tangent);
    let tangents = match fades {
        true => [tangent, cross].map(|t| faded([e_t, e_o], &direction, &normal, &t)),
        false => [tangent * e_t, cross * e_o],
    };
    let wrench = Wrench { point, tangents, torsional: pair.scale[2], n_friction };
    let motion = bodies.map(|body| Motion { linear: vector(&body.velocity), angular: vector(&body.spin) });
    rows.slip[0] = at.gap[0] / time_step;
    wrench.write_slip(&motion, &mut rows.slip[1..1 + n_friction]);
    let turns = bodies.map(|body| matrix(&body.turn));
    let moved = key.has(PairKey::LOADED).then(|| {
        let slopes = [symmetric(&at.slope_a), symmetric(&at.slope_b)];
        let moved = if key.has(PairKey::PLANE) {
            plane_pair(&normal, &slopes[1], &point.arms[1])
        } else {
            curved_pair(&normal, at.gap[0], [&slopes[0], &slopes[1]], [&point.arms[0], &point.arms[1]])
        };
        let load = wrench.load(&pair.impulse[1..1 + n_friction]);
        let load = PointLoad { normal: pair.impulse[0], ..load };
        write_stiffness(&load, &turns, time_step, &moved, &mut rows.stiffness);
        moved
    });
    for (side, turn) in turns.iter().enumerate() {
        let mut force = [T::zero(); SIDE];
        write_normal(side, &point, &mut force[..BLOCK]);
        wrench.write_jacobian(side, &mut force[BLOCK..BLOCK * (1 + n_friction)]);
        let mut answer = force;
        turn_normal(turn, &mut answer[..BLOCK]);
        if let Some(moved) = &moved {
            let friction = &mut answer[BLOCK..BLOCK * (1 + n_friction)];
            wrench.add_response(side, &motion, time_step, turn, moved, friction);
        }
        rows.put_side(side, &force, &answer);
    }
    rows
}

/// K over (c_b − c_a, θ_a, θ_b): force on B, torque on A, torque on B.
fn write_stiffness<T: Real>(
    load: &PointLoad<T>,
    turns: &[Matrix3<T>; 2],
    h: T,
    moved: &PairTangent<T>,
    out: &mut [T],
) {
    let force = load.force_slopes(moved);
    let torques = [0, 1].map(|side| load.torque_slopes(side, moved, &force));
    for (row, (slopes, sign)) in
        [(&force, T::one()), (&torques[0], -T::one()), (&torques[1], T::one())].into_iter().enumerate()
    {
        let scale = sign * h;
        let columns = [slopes[2] * scale, slopes[1] * turns[0] * scale, slopes[3] * turns[1] * scale];
        for (column, block) in columns.iter().enumerate() {
            for r in 0..3 {
                for c in 0..3 {
                    out[stiffness_place(3 * row + r, 3 * column + c)] = block[(r, c)];
                }
            }
        }
    }
}
