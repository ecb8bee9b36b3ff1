//! Mortar judged from the record of its joint (theory §15.4, §15.5): whether it pulls and slips by its law,
//! and how its damage grows. Opening and slip are read off the pose of B's frame in A's.

use super::joint_place::relative;
use super::judged_step::JudgedStep;
use crate::step::JointRecord;
use nalgebra::Vector3;
use signorini_kernels::math::raise;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Joint, MortarFace, State};

/// Tolerance of damage, of the part of it that counts.
const SAME_DAMAGE: f64 = 1e-6;
/// Part of its bound from which on friction slips.
const SLIPS: f64 = 1.0 - 1e-9;

/// Opening (m) and slip (m, torsion times e_r) of a step.
struct Moved {
    opening: f64,
    opened: f64,
    slip: Vector3<f64>,
}

impl Moved {
    fn new(joint: &Joint, face: &MortarFace, step: &JudgedStep<'_>) -> Self {
        let of = |state: &State| {
            let of_b = relative(joint, joint.bodies.map(|id| &state.poses[id]));
            // The angle of an axis of B's frame in the face of A.
            let axis = of_b.orientation * Vector3::x();
            (of_b.position, axis.y.atan2(axis.x))
        };
        let ((start, turned), (end, turn)) = (of(step.before), of(step.after));
        let way = end - start;
        let slip = Vector3::new(way.x, way.y, face.radius * (nearest_turn(turn, turned) - turned));
        Self { opening: end.z, opened: way.z, slip }
    }
}

/// Findings of the referee on mortar (N s).
#[derive(Debug, Clone, Copy, Default)]
pub struct MortarFinding {
    /// Parts of the reaction that mortar cannot exert.
    pub reaction: f64,
    /// Distance of its impulses from their law.
    pub law: f64,
    /// Whether its damage grows otherwise than by its work.
    pub is_misjudged: bool,
}

/// Judges the mortar of a joint of the given size (m); `heavy` are the effective masses of its point (kg) and
/// about axes, over the size (kg m), times the emphasis.
pub fn judge_mortar(
    record: &JointRecord,
    step: &JudgedStep<'_>,
    (joint, face): (&Joint, &MortarFace),
    (size, heavy): (f64, [f64; 2]),
) -> MortarFinding {
    let mut found = MortarFinding::default();
    let h = step.scene.time_step;
    let frame = step.after.poses[joint.bodies[0]].compose(&joint.frames[0]);
    let back = frame.orientation.inverse();
    let (force, torque) = (back * record.force, back * record.torque);
    let [pressing, pull] = [record.limit[0], record.motor[0]];
    let moved = Moved::new(joint, face, step);
    if record.damage[0] >= 1.0 {
        let any = force.norm() + torque.norm() / size + pressing.abs() + pull.abs();
        raise(&mut found.reaction, any);
        found.is_misjudged = !grows_by(record, 0.0);
        return found;
    }
    raise(&mut found.reaction, (force.z - pressing - pull).abs());
    raise(&mut found.reaction, torque.xy().norm() / size);
    raise(&mut found.law, (pull + h * face.tension).abs());
    raise(&mut found.law, pressing.min(heavy[0] * moved.opening / h).abs());
    if !step.before_known {
        return found;
    }
    let friction = Vector3::new(force.x, force.y, torque.z / face.radius);
    let bound = h * face.shear + face.coefficient * force.z;
    let yielding = 2.0 / heavy[0] + face.radius * face.radius / (heavy[1] * size);
    let argument = friction - moved.slip * (3.0 / (yielding * h));
    let length = argument.norm();
    let allowed = if length <= bound { argument } else { argument * (bound.max(0.0) / length) };
    raise(&mut found.law, (friction - allowed).norm());
    let opened = if pressing == 0.0 { moved.opened } else { 0.0 };
    let slipped = if friction.norm() >= SLIPS * bound { moved.slip.norm() } else { 0.0 };
    found.is_misjudged = !grows_by(record, face.work(opened, slipped) / face.energy);
    found
}

/// Whether damage grows by as much in a step.
fn grows_by(record: &JointRecord, grown: f64) -> bool {
    let [start, end] = record.damage;
    (end - start - grown).abs() <= SAME_DAMAGE * end.abs().max(1.0)
}
