//! Bodies that joints let slide along a direction, in flat arrays: they have a mobility along it, and no
//! rows.

use crate::stepper::joints::{Guide, JointMemory, JointModel};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_flat::{Body, Drive, Hold};
use signorini_geometry::Velocity;
use std::collections::HashSet;

/// A body on a guide.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guided {
    /// Its local index.
    pub local: usize,
    /// Place of the joint among those of the island.
    pub link: usize,
    /// Side of the joint that the body is.
    pub side: usize,
    /// The guide in this (sub)step.
    guide: Guide,
    /// Impulse from which a motor that holds a speed starts (N s).
    start: f64,
}

/// Whether all joints of an island guide a body of its own along one that stands.
pub fn are_guides(links: &[JointMemory], context: &StepContext<'_>) -> bool {
    let mut guided = HashSet::new();
    links.iter().all(|link| {
        let joint = &context.joints[link.joint];
        moving_side(joint, context).is_some_and(|side| guided.insert(joint.bodies[side])) && joint.is_guide()
    })
}

/// The side of a joint that moves, where the other one stands.
fn moving_side(joint: &JointModel, context: &StepContext<'_>) -> Option<usize> {
    let stands = |id: usize| context.models.bodies[id].fixed && context.velocities[id] == Velocity::default();
    match joint.bodies.map(stands) {
        [true, false] => Some(1),
        [false, true] => Some(0),
        _ => None,
    }
}

/// The bodies on guides of an island whose joints are guides.
pub(super) fn read(links: &[JointMemory], context: &StepContext<'_>, local_of: &[usize]) -> Vec<Guided> {
    let of = |(link, memory): (usize, &JointMemory)| {
        let joint = &context.joints[memory.joint];
        let side = moving_side(joint, context)?;
        let guide = joint.guide(side, &context.joint_start(joint), &context.clock());
        let start = joint.holding_impulse(&memory.impulse);
        Some(Guided { local: local_of[joint.bodies[side]], link, side, guide, start })
    };
    links.iter().enumerate().filter_map(of).collect()
}

impl Guided {
    /// Speed that is held (m/s), and the largest impulse that holds it (N s).
    pub fn hold(&self) -> Option<[f64; 2]> {
        self.guide.hold
    }

    /// Puts its body on the guide: velocities keep their part along it, and motors push.
    pub fn put(&self, bodies: &mut [Body]) {
        let (body, Guide { direction, impulse, hold, correction }) = (&mut bodies[self.local], self.guide);
        let mass = body.mass;
        let along = |speed: f64| [(correction.linear + direction * speed).into(), correction.angular.into()];
        let speed = |[linear, _]: [[f64; 3]; 2]| direction.dot(&Vector3::from(linear));
        let (speeds, drive) = match hold {
            Some([speed, most]) if most.is_infinite() => ([speed; 2], Drive::Led),
            Some([speed_held, most]) => {
                let hold = Hold { speed: speed_held, most, impulse: self.start.max(-most).min(most) };
                ([speed(body.velocity), speed(body.free) + impulse / mass], Drive::Hold(hold))
            }
            None => ([speed(body.velocity), speed(body.free) + impulse / mass], Drive::Free),
        };
        [body.velocity, body.free] = speeds.map(along);
        body.acting = body.acting.max(impulse.abs());
        body.guide = Some(signorini_flat::Guide { direction: direction.into(), drive });
    }
}
