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
    /// The slope of the angle with turns of B about the axes of the face at the end.
    slope: Vector3<f64>,
}

impl Moved {
    fn new(joint: &Joint, face: &MortarFace, step: &JudgedStep<'_>) -> Self {
        let of = |state: &State| {
            let of_b = relative(joint, joint.bodies.map(|id| &state.poses[id]));
            // The angle of an axis of B's frame in the face of A.
            let axis = of_b.orientation * Vector3::x();
            (of_b.position, axis)
        };
        let ((start, before), (end, axis)) = (of(step.before), of(step.after));
        let [turned, turn] = [before, axis].map(|axis| axis.y.atan2(axis.x));
        let lean = -axis.z / axis.xy().norm_squared();
        let slope = Vector3::new(lean * axis.x, lean * axis.y, 1.0);
        let way = end - start;
        let slip = Vector3::new(way.x, way.y, face.radius * (nearest_turn(turn, turned) - turned));
        Self { opening: end.z, opened: way.z, slip, slope }
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

/// Relative velocity of the bodies of a joint at its point per unit impulse along a unit vector (1/kg).
fn yielding(record: &JointRecord, joint: &Joint, step: &JudgedStep<'_>, along: &Vector3<f64>) -> f64 {
    let of = |id: usize| {
        let arm = record.point - step.after.poses[id].position;
        step.bodies[id].compliance(&arm, along)
    };
    joint.bodies.into_iter().map(of).sum()
}

/// That velocity along the normal of mortar.
pub fn normal_compliance(record: &JointRecord, joint: &Joint, step: &JudgedStep<'_>) -> f64 {
    let frame = step.after.poses[joint.bodies[0]].compose(&joint.frames[0]);
    yielding(record, joint, step, &(frame.orientation * Vector3::z()))
}

/// Judges the mortar of a joint of the given size (m), in its unit (N s).
pub fn judge_mortar(
    record: &JointRecord,
    step: &JudgedStep<'_>,
    (joint, face): (&Joint, &MortarFace),
    (size, unit): (f64, f64),
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
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| frame.orientation * axis);
    let [d_x, d_y, d_n] = axes.each_ref().map(|axis| yielding(record, joint, step, axis));
    raise(&mut found.reaction, (force.z - pressing - pull).abs());
    raise(&mut found.reaction, (torque - moved.slope * torque.z).norm() / size);
    raise(&mut found.law, (pull + h * face.tension).abs());
    let closed = step.closed_gap(joint.bodies, d_n);
    raise(&mut found.law, pressing.min(unit * moved.opening / closed).abs());
    if !step.before_known {
        return found;
    }
    let friction = Vector3::new(force.x, force.y, torque.z / face.radius);
    let bound = (h * face.shear + face.coefficient * force.z).max(0.0);
    let spin: f64 =
        joint.bodies.iter().map(|id| axes[2].dot(&(step.bodies[*id].inverse_inertia * axes[2]))).sum();
    let rows = (d_x + d_y + face.radius * face.radius * spin) / 3.0;
    let emphasis = step.emphasis(joint.bodies, d_n);
    let argument = friction - moved.slip * (emphasis / (rows * h));
    let length = argument.norm();
    let allowed = if length <= bound { argument } else { argument * (bound / length) };
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
