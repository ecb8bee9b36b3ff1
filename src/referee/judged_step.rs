//! A step with what the referee has found out about its bodies.

use super::bodies::{BodyInStep, Scales};
use super::staggered::is_staggered;
use crate::scene::{Scene, State};
use crate::step::{ContactRecord, JointRecord, Loads};
use nalgebra::Vector3;

/// One step, or one substep of a smaller scene.
#[derive(Debug, Clone, Copy)]
pub struct JudgedStep<'a> {
    /// The scene; its `time_step` is the length of the step.
    pub scene: &'a Scene,
    /// Bodies, with their shapes at the end and their inertia at the start.
    pub bodies: &'a [BodyInStep],
    /// State at the start.
    pub before: &'a State,
    /// Whether that state is recorded, not rebuilt from the end.
    pub before_known: bool,
    /// State at the end.
    pub after: &'a State,
    /// Loads over the step.
    pub loads: &'a Loads,
    /// p_ref and L.
    pub scales: Scales,
}

impl<'a> JudgedStep<'a> {
    /// The state at whose poses the reaction of a joint acts.
    pub fn acting(&self, record: &JointRecord) -> &'a State {
        let at_start = is_staggered(self.scene) && record.theta == Some(0.0);
        if at_start { self.before } else { self.after }
    }

    /// Relative velocity of the two bodies of a contact at its point per unit impulse along the unit
    /// `direction` (1/kg).
    pub fn compliance(&self, contact: &ContactRecord, direction: &Vector3<f64>) -> f64 {
        let of =
            |id: usize| self.bodies[id].compliance(&(contact.ecp - self.after.poses[id].position), direction);
        of(contact.body_a) + of(contact.body_b)
    }
}
