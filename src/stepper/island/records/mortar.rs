//! Mortar in the records of joints: its pull, what presses, its opening and its damage (theory §15.5).

use crate::step::JointRecord;
use crate::stepper::joints::JointMemory;
use crate::stepper::parameters::ROUNDED_MORTAR;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::linkage::Placement;
use signorini_ncp::problem::STICKS_BELOW;

/// Adds what the mortar of a joint did in a (sub)step.
pub(super) fn add_mortar(
    record: JointRecord,
    link: &JointMemory,
    context: &StepContext<'_>,
    end: &[Placement; 2],
) -> JointRecord {
    let joint = &context.joints[link.joint];
    let Some(face) = &joint.mortar else { return record };
    let [before, after] = [&context.joint_start(joint).at, end].map(|at| joint.mortar_values(at));
    let damage = context.damage.get(link.joint).copied().unwrap_or(0.0);
    let opening = Some(after[0]);
    let coordinate = [opening, record.coordinate[1]];
    if !context.holds(link.joint) {
        return JointRecord { coordinate, damage: [damage; 2], ..record };
    }
    let h = context.time_step;
    let pull = h * face.tension;
    let presses = link.impulse[0] + pull;
    let presses = if presses <= ROUNDED_MORTAR * h * face.apex() { 0.0 } else { presses };
    let friction = Vector3::from_column_slice(&link.impulse[1..4]).norm();
    let bound = h * face.shear + face.coefficient * link.impulse[0];
    let opened = if presses == 0.0 { after[0] - before[0] } else { 0.0 };
    let slipped = Vector3::from_fn(|i, _| after[1 + i] - before[1 + i]).norm();
    let slipped = if friction >= STICKS_BELOW * bound { slipped } else { 0.0 };
    let worn = damage + face.work(opened, slipped) / face.energy;
    JointRecord { coordinate, limit: [presses, 0.0], motor: [-pull, 0.0], damage: [damage, worn], ..record }
}
