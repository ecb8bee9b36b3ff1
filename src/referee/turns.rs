//! Turns and energy of joints. Joint rows of the end pose hold for bodies that turn once more within the
//! step; the referee asks whether a step leads from its start to its end (theory §4.5).
//!
//! What the impulses of a step add to the free motion is rebuilt from the states alone. It may turn neither
//! body of a joint, nor one relative to the other, by more than a radian, and a link between anchors may
//! not end the other way round. In a step of nothing but joints without drives
//! ```text
//! KE⁺ ≤ (1 + ½) KE of the free motion + work of what joints are off at the start and of the residuals
//! ```
//! A free motion opens the rows at the rate u. Impulses p = −M (u + ½ h κ) close them, with their curvature
//! κ. They add ½ h κ·p to the energy and take ½ p·M⁻¹p, together at most u·M u / 6 to leading order.

use super::balance::momentum_beside_loads;
use super::energy::Energy;
use super::joint_place::{coordinate, relative, violation};
use super::joints::JointFinding;
use super::judged_step::JudgedStep;
use super::staggered::is_staggered;
use crate::step::{ContactRecord, JointRecord};
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Joint, JointKind};
use signorini_scene::settings::Gyroscopic;
use std::f64::consts::PI;

/// Largest turn that impulses may make at a joint within a step (rad).
pub const MAX_TURN: f64 = 1.0;

/// Largest gain of energy over the energy of the free motion.
const MAX_GAIN: f64 = 0.5;

/// Adds the turn at a joint, and the work that its start explains.
pub fn add(record: &JointRecord, step: &JudgedStep<'_>, found: &mut JointFinding) {
    let joint = &step.scene.joints[record.joint];
    let moves = |id: usize| !step.bodies[id].moving && step.after.velocities[id] != Velocity::default();
    let drives = record.motion.iter().chain(&record.motor).any(|p| *p != 0.0);
    found.is_driven = drives || joint.bodies.into_iter().any(moves);
    if !step.before_known {
        return;
    }
    found.work_from_start = work_from_start(record, joint, step);
    let h = step.scene.time_step;
    let [a, b] = joint.bodies.map(|id| made(step, id));
    for spin in [a.angular, b.angular, b.angular - a.angular] {
        raise(&mut found.turn, h * spin.norm());
    }
    let pose = relative(joint, joint.bodies.map(|id| &step.after.poses[id]));
    let is_opposite = |axis: Vector3<f64>| (pose.orientation * axis).dot(&axis) <= 0.0;
    let ends = [0, 1].map(|k| step.after.poses[joint.bodies[k]].point(&joint.frames[k].position));
    let is_reversed = match joint.kind {
        JointKind::Fixed | JointKind::Prismatic => is_opposite(Vector3::z()) || is_opposite(Vector3::x()),
        JointKind::Revolute | JointKind::Cylindrical | JointKind::Planar => is_opposite(Vector3::z()),
        JointKind::Ball | JointKind::Universal | JointKind::Mortar => false,
        JointKind::Distance => {
            let line = ends[1] - ends[0];
            line.dot(&(line - (b.linear - a.linear) * h)) < 0.0
        }
    };
    if is_reversed {
        raise(&mut found.turn, PI);
    }
}

/// Velocity that impulses other than loads gave a body.
fn made(step: &JudgedStep<'_>, id: usize) -> Velocity {
    let body = &step.bodies[id];
    if !body.moving {
        return Velocity::default();
    }
    let [linear, angular] = momentum_beside_loads(step, id);
    Velocity { linear: linear / body.mass, angular: body.inverse_inertia * angular }
}

/// Work (J) of the reaction on what the joint and its limits are off at the start.
fn work_from_start(record: &JointRecord, joint: &Joint, step: &JudgedStep<'_>) -> f64 {
    let start = joint.bodies.map(|id| &step.before.poses[id]);
    let [distance, angle] = violation(joint, start);
    let mut work = record.force.norm() * distance + record.torque.norm() * angle;
    for c in &joint.coordinates {
        let Some([low, high]) = c.limits else { continue };
        let value = coordinate(joint, c.axis, start);
        let is_angle = c.axis == Axis::Angle;
        let value = if is_angle { nearest_turn(value, 0.5 * (low + high)) } else { value };
        work += record.limit[usize::from(is_angle)].abs() * (low - value).max(value - high).max(0.0);
    }
    work / step.scene.time_step
}

/// Whether a step of joints alone, without drives and from a known start, brings no more energy than the
/// scheme may; `energy` is that of the bodies.
pub fn keep_energy(
    step: &JudgedStep<'_>,
    (contacts, joints): (&[ContactRecord], &[JointFinding]),
    energy: &Energy,
    residual: f64,
) -> bool {
    let is_loaded = |c: &ContactRecord| c.normal_impulse != 0.0 || c.friction_impulse != Vector3::zeros();
    let has_other_sources = !step.before_known
        || is_staggered(step.scene)
        || step.scene.solver.spin_rule() == Gyroscopic::Explicit
        || !step.scene.springs.is_empty()
        || joints.iter().any(|joint| joint.is_driven)
        || contacts.iter().any(is_loaded);
    if joints.is_empty() || has_other_sources {
        return true;
    }
    let of = |joint: &JointFinding| joint.work_from_start + residual * joint.unit * joint.work_per_residual;
    let work: f64 = joints.iter().map(of).sum();
    energy.kinetic <= (1.0 + MAX_GAIN) * energy.free + energy.allowed + work
}
