//! Check of the columns of a joint.

use crate::referee::judged_step::JudgedStep;
use crate::step::JointRecord;
use signorini_geometry::Pose;
use signorini_geometry::linkage::LinkRow;
use signorini_kernels::math::exceeds;
use signorini_scene::scene::joint::placement;
use signorini_scene::scene::{Axis, State};
use signorini_scene::settings::Formulation;

/// Tolerance of lengths, as a fraction of the size of the joint, and of angles (rad).
const SAME: f64 = 1e-9;

/// Adds the faults of a joint.
pub fn check_joint(record: &JointRecord, step: &JudgedStep<'_>, faults: &mut Vec<String>) {
    let joint = &step.scene.joints[record.joint];
    let size = joint.size(|id| step.scene.size_of(id));
    let end = joint.bodies.map(|id| placement(&step.after.poses[id]));
    let reach = joint.bodies.iter().map(|id| step.after.poses[*id].position.amax()).fold(size, f64::max);
    let length = SAME * size + 16.0 * f64::EPSILON * reach;
    let mut errors = [0.0f64; 2];
    for (row, target, _) in joint.equations() {
        let place = usize::from(matches!(row, LinkRow::Square { .. }));
        errors[place] = errors[place].max((row.value(&end) - target).abs());
    }
    let mut hold = |column: &str, said: f64, found: f64, same: f64| {
        if exceeds((said - found).abs(), same) {
            faults.push(format!("{column} = {said:e}, found {found:e}"));
        }
    };
    hold("position_error", record.error[0], errors[0], length);
    hold("angle_error", record.error[1], errors[1], SAME);
    for (place, column) in ["displacement", "angle"].into_iter().enumerate() {
        let acted = joint.coordinates.iter().find(|c| usize::from(c.axis == Axis::Angle) == place);
        let opening = joint.mortar.filter(|_| place == 0).map(|_| joint.mortar_rows()[0].value(&end));
        let found = acted.map(|c| joint.coordinate_row(c.axis).value(&end)).or(opening);
        match (record.coordinate[place], found) {
            (Some(said), Some(found)) => hold(column, said, found, [length, SAME][place]),
            (None, None) => {}
            (said, found) => hold(column, said.unwrap_or(f64::NAN), found.unwrap_or(f64::NAN), 0.0),
        }
    }
    let off = anchor_distance(record, step);
    hold("distance of x, y, z from the anchor", off, 0.0, length);
}

/// Distance (m) of the point from B's anchor where the reaction acts: at the end of the step, at its start,
/// or at either. 0 where the start would be needed and is not recorded.
fn anchor_distance(record: &JointRecord, step: &JudgedStep<'_>) -> f64 {
    let joint = &step.scene.joints[record.joint];
    let off = |state: &State| {
        let pose: &Pose = &state.poses[joint.bodies[1]];
        (record.point - pose.point(&joint.frames[1].position)).norm()
    };
    let formulation = step.scene.solver.formulation;
    let acts_at_end = formulation.is_exact() && record.theta != Some(0.0);
    match (acts_at_end, formulation) {
        (true, _) => off(step.after),
        _ if !step.before_known => 0.0,
        // The rule holds whichever model took the step.
        (_, Formulation::Auto) => off(step.after).min(off(step.before)),
        _ => off(step.before),
    }
}
