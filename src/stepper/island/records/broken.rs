//! Records of broken mortar, which holds nothing and belongs to no island.

use super::mortar::add_mortar;
use crate::step::{Span, Substep};
use crate::stepper::formulation::Records;
use crate::stepper::joints::{JointMemory, JointModel};
use crate::stepper::step_context::StepContext;
use signorini_geometry::Pose;
use signorini_geometry::linkage::Placement;
use signorini_scene::scene::State;

/// Adds the joints of broken mortar to the records of a step that ends in `end`: one of each, or one for each
/// substep of an island that has both of its bodies.
pub(in crate::stepper) fn record_broken(
    broken: &[JointMemory],
    context: &StepContext<'_>,
    end: &State,
    records: &mut Records,
) {
    let Records { joints, substeps, .. } = records;
    for link in broken {
        let joint = &context.joints[link.joint];
        let mut add = |span: Span, end: [Placement; 2]| {
            let record = joint.record(link.joint, &[], &end, &end, span);
            joints.push(add_mortar(record, link, context, &end));
        };
        let parts = substeps.iter().filter(|part| !part.span.is_impact());
        let mut own = parts.filter_map(|part| Some((part.span, places(joint, context, part)?))).peekable();
        if own.peek().is_none() {
            add(Span::WHOLE, joint.bodies.map(|id| place(&end.poses[id])));
        }
        own.for_each(|(span, places)| add(span, places));
    }
    if !broken.is_empty() {
        // Those of a joint are in their order.
        joints.sort_by_key(|record| record.joint);
    }
}

/// Where the bodies of a joint are at the end of a substep, if all of them that move take it.
fn places(joint: &JointModel, context: &StepContext<'_>, substep: &Substep) -> Option<[Placement; 2]> {
    let of = |id: usize| {
        if context.models.bodies[id].fixed {
            let gone = context.time_step * substep.span.end;
            return Some(place(&context.poses[id].advanced(&context.velocities[id], gone)));
        }
        substep.bodies.iter().find(|state| state.body == id).map(|state| place(&state.pose))
    };
    Some([of(joint.bodies[0])?, of(joint.bodies[1])?])
}

fn place(pose: &Pose) -> Placement {
    Placement { position: pose.position, rotation: pose.rotation() }
}
