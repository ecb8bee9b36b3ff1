//! The rows of one smooth pair with their derivatives: what the step problem is frozen with (MODEL section 3).

use super::pair_tangent::{curved_pair, plane_pair};
use super::types::{BodyState, PairGeometry, PairKey, PairRows, PairState, matrix, symmetric, vector};
use super::wrench::{ContactPoint, Motion, PointLoad, Wrench, turn_normal, write_normal};
use crate::real::Real;

/// Unknowns of a body.
const BLOCK: usize = 6;
/// Numbers of a side: four rows.
const SIDE: usize = 4 * BLOCK;

/// What the shader's thread computes. Rows that the pair lacks stay 0, and so does the stiffness of a pair without load.
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
    let point = ContactPoint { normal, arms: [vector(&at.arm_a), vector(&at.arm_b)] };
    let n_friction = match (key.has(PairKey::FRICTION), key.has(PairKey::TORSION)) {
        (false, _) => 0,
        (true, false) => 2,
        (true, true) => 3,
    };
    let wrench = Wrench {
        point,
        tangents: [tangent * pair.scale[0], normal.cross(&tangent) * pair.scale[1]],
        torsional: pair.scale[2],
        n_friction,
    };
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
        load.add_stiffness(&[Some(&turns[0]), Some(&turns[1])], time_step, &moved, &mut rows.stiffness);
        moved
    });
    for (side, turn) in turns.iter().enumerate() {
        let jacobian = &mut rows.jacobian[SIDE * side..SIDE * (side + 1)];
        write_normal(side, &point, &mut jacobian[..BLOCK]);
        wrench.write_jacobian(side, &mut jacobian[BLOCK..BLOCK * (1 + n_friction)]);
        let response = &mut rows.response[SIDE * side..SIDE * (side + 1)];
        response.copy_from_slice(jacobian);
        turn_normal(turn, &mut response[..BLOCK]);
        if let Some(moved) = &moved {
            let friction = &mut response[BLOCK..BLOCK * (1 + n_friction)];
            wrench.add_response(side, &motion, time_step, turn, moved, friction);
        }
    }
    rows
}
