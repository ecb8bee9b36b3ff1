//! A step with the referee's findings on its bodies.

use super::bodies::{BodyInStep, parts_of};
use super::image;
use super::part_in_step::PartInStep;
use super::staggered::is_staggered;
use super::units::{Units, rounding_of_place};
use crate::step::{ContactRecord, JointRecord, Loads};
use nalgebra::Vector3;
use signorini_scene::scene::{Scene, State};
use std::borrow::Cow;

/// One step, or one substep of a smaller scene.
#[derive(Debug, Clone, Copy)]
pub struct JudgedStep<'a> {
    /// The scene; its `time_step` is the length of the step.
    pub scene: &'a Scene,
    /// Bodies, with their shapes at the end and their inertia at the start.
    pub bodies: &'a [BodyInStep],
    /// State at the start.
    pub before: &'a State,
    /// Whether the state at the start is recorded, not rebuilt from the end.
    pub before_known: bool,
    /// Poses from which the velocities of the end lead to the end.
    pub left: &'a State,
    /// Poses at the end, with the velocities that led to them.
    pub after: &'a State,
    /// State at the end as recorded: where bodies fly, their spin at the end.
    pub ended: &'a State,
    /// Loads over the step.
    pub loads: &'a Loads,
    /// Units of the bodies.
    pub units: &'a Units,
    /// Units of the step that led the bodies to their places: an impact moves none.
    pub place_units: &'a Units,
}

impl<'a> JudgedStep<'a> {
    /// The state at whose poses the reaction of a joint acts.
    pub fn acting(&self, record: &JointRecord) -> &'a State {
        let at_start = is_staggered(self.scene) && record.theta == Some(0.0);
        if at_start { self.before } else { self.after }
    }

    /// Unit of impulses between two bodies (N s): the lesser of those that move, but no less than the effect
    /// of rounding of their places at `compliance` (1/kg).
    pub fn unit_between(&self, bodies: [usize; 2], compliance: f64) -> f64 {
        self.lesser(self.units, bodies, compliance)
    }

    /// Unit of the gap between two bodies (N s): that of their impulses, or that of the step which led them
    /// to their places if it is larger.
    pub fn gap_unit_between(&self, bodies: [usize; 2], compliance: f64) -> f64 {
        self.unit_between(bodies, compliance).max(self.lesser(self.place_units, bodies, compliance))
    }

    fn lesser(&self, units: &Units, bodies: [usize; 2], compliance: f64) -> f64 {
        let moving = bodies.iter().filter(|id| self.bodies[**id].moving);
        let least = moving.map(|id| units.of_bodies[*id]).fold(f64::INFINITY, f64::min);
        let floor =
            self.rounding_between(bodies) / (compliance * self.scene.time_step * self.scene.solver.tolerance);
        if least.is_finite() && compliance > 0.0 { least.max(floor) } else { 1.0 }
    }

    /// Factor by which a relative velocity of two bodies counts more than with the mass of the pair in their
    /// unit: a body's part of it is as wrong as the impulse that the mass it carries needs for it, in its own
    /// unit (theory §5.4). No less than rounding of their places, at `compliance` (1/kg), is asked for.
    pub fn emphasis(&self, bodies: [usize; 2], compliance: f64) -> f64 {
        let unit = self.unit_between(bodies, compliance);
        self.emphasis_in(self.units, unit, bodies, compliance)
    }

    /// Width (m) of a gap of one unit between two bodies, by the body for which the gap counts most. The unit
    /// is that of their impulses, or that of the step which led them to their places if the gap is wider so.
    pub fn closed_gap(&self, bodies: [usize; 2], compliance: f64) -> f64 {
        let width = |units: &Units| {
            let unit = self.lesser(units, bodies, compliance);
            unit / self.emphasis_in(units, unit, bodies, compliance)
        };
        let unit = width(self.units).max(width(self.place_units));
        unit * compliance * self.scene.time_step
    }

    fn emphasis_in(&self, units: &Units, unit: f64, bodies: [usize; 2], compliance: f64) -> f64 {
        let (mut lightness, mut heaviest, mut n) = (0.0, 0.0, 0.0);
        for id in bodies.into_iter().filter(|id| self.bodies[*id].moving) {
            lightness += 1.0 / (self.bodies[id].effective_mass_ratio * self.bodies[id].mass);
            // A unit that is no number shows elsewhere.
            heaviest = f64::max(heaviest, units.carried[id] / units.of_bodies[id]);
            n += 1.0;
        }
        let rounding = self.rounding_between(bodies).max(f64::MIN_POSITIVE);
        let most = unit * self.scene.solver.tolerance * self.scene.time_step * compliance / rounding;
        (unit * heaviest * lightness / n).min(most).max(1.0)
    }

    /// Largest error of the distance of two bodies due to rounding (m).
    pub fn rounding_between(&self, bodies: [usize; 2]) -> f64 {
        bodies.iter().map(|id| rounding_of_place(&self.bodies[*id], &self.before.poses[*id].position)).sum()
    }

    /// Parts of a contact, with B's in the image that it meets.
    pub fn parts_of(&self, contact: &ContactRecord) -> [Cow<'a, PartInStep>; 2] {
        image::parts(self.bodies, self.scene, contact)
    }

    /// Vectors from the centres of mass at the end of the step to the contact point (m), of A and of B.
    pub fn arms(&self, contact: &ContactRecord) -> [Vector3<f64>; 2] {
        image::centers(self.scene, contact, self.after).map(|center| contact.ecp - center)
    }

    /// The smaller size of those parts of a contact that have one (m).
    pub fn smaller_size(&self, contact: &ContactRecord) -> f64 {
        let [a, b] = parts_of(self.bodies, contact);
        a.size.min(b.size)
    }

    /// Relative velocity of the two bodies of a contact at its point per unit impulse along the unit
    /// `direction` (1/kg).
    pub fn compliance(&self, contact: &ContactRecord, direction: &Vector3<f64>) -> f64 {
        let [arm_a, arm_b] = self.arms(contact);
        let [a, b] = [contact.body_a, contact.body_b].map(|id| &self.bodies[id]);
        a.compliance(&arm_a, direction) + b.compliance(&arm_b, direction)
    }
}
