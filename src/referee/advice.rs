//! What the cheaper models would have got wrong in a step, indicated from states and impulses alone.
//!
//! Over the contacts that bear a load, with v_n, v_t at the recorded contact point and normal:
//! ```text
//! gap linearisation   |gap⁺ − gap − h v_n| / size       of every model with the geometry of the start
//! cone lift           h μ |v_t| / size                  of cone complementarity (and convex friction)
//! slip direction      2 μ sin(π/(2 m)) p_n / max p_n    of a friction polygon with m corners, where it slips
//! ```
//! size is that of the smaller body. The slip may lie anywhere between two corners: the last one is a bound.

use super::bodies::{self, Judged};
use super::law::own_gap;
use super::worst;
use crate::scene::{Scene, State};
use crate::stepper::{ContactRecord, ContactState};
use nalgebra::Vector3;

/// Indicated errors of a step, each 0 where nothing is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Advice {
    /// Of the linearised gap, over the size.
    pub gap_linearization: f64,
    /// Height that a cone complementarity would add, over the size.
    pub cone_lift: f64,
    /// Friction across the slip that a polygon may give, over the largest normal impulse.
    pub slip_direction: f64,
}

/// Finds the indicators; holds the bodies at the start of the step.
#[derive(Debug)]
pub struct Advisor {
    before: Vec<Judged>,
    after: Vec<Judged>,
}

impl Advisor {
    /// For a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { before: bodies::prepare(scene), after: bodies::prepare(scene) }
    }

    /// The indicators of one step.
    pub fn advise(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        contacts: &[ContactRecord],
    ) -> Advice {
        let h = scene.time_step;
        bodies::place(&mut self.before, scene, before, before);
        bodies::place(&mut self.after, scene, before, after);
        let mut advice = Advice::default();
        let largest = contacts.iter().fold(0.0, |m: f64, c| m.max(c.normal_impulse));
        let directions = scene.solver.stewart_trinkle.directions as f64;
        let chord = 2.0 * (std::f64::consts::PI / (2.0 * directions)).sin();
        for contact in contacts.iter().filter(|c| c.normal_impulse > 1e-9 * largest) {
            let (i, j) = (contact.body_a, contact.body_b);
            let size = self.after[i].size.min(self.after[j].size);
            let gap = own_gap(&self.before[i], &self.before[j], &contact.normal, f64::INFINITY);
            let end_gap = own_gap(&self.after[i], &self.after[j], &contact.normal, f64::INFINITY);
            let speed = |k: usize| -> Vector3<f64> {
                let velocity = &after.velocities[k];
                velocity.linear + velocity.angular.cross(&(contact.ecp - after.poses[k].position))
            };
            let relative = speed(j) - speed(i);
            let approach = contact.normal.dot(&relative);
            worst(&mut advice.gap_linearization, (end_gap - gap - h * approach).abs() / size);
            let friction =
                scene.friction.between(scene.bodies[i].material, scene.bodies[j].material).coefficient;
            worst(&mut advice.cone_lift, h * friction * contact.slip_speed / size);
            if contact.state == ContactState::Slip {
                let share = contact.normal_impulse / largest;
                worst(&mut advice.slip_direction, chord * friction * share);
            }
        }
        advice
    }
}
