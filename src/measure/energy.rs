//! Energies, and the work that changed them.

use super::observed::Observed;
use super::value::{Value, numbers};
use crate::step::FlowEvent;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{BodyId, Scene, State, energy};
use std::collections::BTreeMap;

/// Sums over an interval (J).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Energies {
    /// Kinetic and potential energy inside at the end of the last interval.
    last: f64,
    /// Energy of bodies that came, and that left.
    came: f64,
    left: f64,
    friction: f64,
    driven: f64,
    impact: f64,
    /// Velocities of the bodies at the end of the last step, by their ids.
    before: BTreeMap<BodyId, Velocity>,
}

impl Energies {
    pub const COLUMNS: [&'static str; 8] =
        ["kinetic", "potential", "came", "left", "friction", "driven", "impact", "rest"];

    /// The energies before any step.
    pub fn new(scene: &Scene, state: &State) -> Self {
        let last = energy::kinetic(scene, state) + energy::potential(scene, state);
        let ids = (0..scene.bodies.len()).map(BodyId::new);
        Self { last, before: ids.zip(state.velocities.iter().copied()).collect(), ..Self::default() }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        for record in step.flow {
            let (Some(id), Some(pose), Some(velocity)) = (record.id, record.pose, record.velocity) else {
                continue;
            };
            let Some(body) = step.place(id) else { continue };
            let own = of_body(step.scene, body, &pose, &velocity);
            if record.event == FlowEvent::In {
                self.came += own;
                self.before.insert(id, velocity);
            } else {
                self.left += own;
            }
        }
        for contact in step.loaded_contacts() {
            let (a, b) = (contact.body_a, contact.body_b);
            let points = step.points(contact);
            let runs = [(a, contact.part_a, points[0]), (b, contact.part_b, points[1])]
                .map(|(body, part, point)| step.surface_velocity(body, part, &point));
            let slip =
                step.speed_at(b, &points[1]) - step.speed_at(a, &points[0]) + runs[1].linear - runs[0].linear;
            let spin = step.state.velocities[b].angular - step.state.velocities[a].angular + runs[1].angular
                - runs[0].angular;
            let work = |linear: &Vector3<f64>, angular: &Vector3<f64>| {
                contact.friction_impulse.dot(linear)
                    + contact.torsional_impulse * contact.normal.dot(angular)
                    + contact.rolling_impulse.dot(angular)
            };
            self.friction -= work(&slip, &spin);
            let [start, end] = [true, false].map(|is_start| {
                let speed = |body: usize, point: &Vector3<f64>| match is_start {
                    true => self.speed_before(step, body, point),
                    false => step.speed_at(body, point),
                };
                contact.normal.dot(&(speed(b, &points[1]) - speed(a, &points[0])))
            });
            self.impact -= 0.5 * contact.normal_impulse * (start + end);
            self.driven += work(&(runs[0].linear - runs[1].linear), &(runs[0].angular - runs[1].angular));
            // A carried body moves whatever pushes it, and does the work that its surface does on the other
            // body.
            for (body, sign) in [(a, 1.0), (b, -1.0)].into_iter().filter(|(id, _)| step.scene.is_carried(*id))
            {
                let point = points[usize::from(sign < 0.0)];
                self.driven += sign * contact.impulse().dot(&step.speed_at(body, &point));
                let spin = step.state.velocities[body].angular;
                self.driven += sign * contact.torsional_impulse * contact.normal.dot(&spin);
                self.driven += sign * contact.rolling_impulse.dot(&spin);
            }
        }
        let now = step.ids.iter().copied().zip(step.state.velocities.iter().copied());
        self.before = now.collect();
    }

    /// Velocity of the material point of a body at a point (m/s), with the velocity before the step.
    fn speed_before(&self, step: &Observed<'_>, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
        let velocity = self.before.get(&step.ids[body]).copied().unwrap_or_default();
        velocity.linear + velocity.angular.cross(&(point - step.state.poses[body].position))
    }

    /// The row of an interval that ended with a step.
    pub fn row(&mut self, step: &Observed<'_>) -> Vec<Value> {
        let leaving: f64 = step
            .flow
            .iter()
            .filter(|record| record.event == FlowEvent::Out)
            .filter_map(|r| Some(of_body(step.scene, step.place(r.id?)?, &r.pose?, &r.velocity?)))
            .sum();
        let kinetic = energy::kinetic(step.scene, step.state);
        let potential = energy::potential(step.scene, step.state);
        // A body that left with this step is no longer inside.
        let inside = kinetic + potential - leaving;
        let Self { last, came, left, friction, driven, impact, .. } = *self;
        let rest = last - inside + came - left + driven - friction - impact;
        *self = Self { last: inside, before: std::mem::take(&mut self.before), ..Self::default() };
        numbers([kinetic, potential, came, left, friction, driven, impact, rest]).collect()
    }
}

/// Kinetic and potential energy of a body (J).
fn of_body(scene: &Scene, body: usize, pose: &Pose, velocity: &Velocity) -> f64 {
    let body = &scene.bodies[body];
    let spin = pose.orientation.inverse() * velocity.angular;
    0.5 * body.mass * velocity.linear.norm_squared() + 0.5 * spin.dot(&(body.inertia * spin))
        - body.mass * scene.gravity.dot(&pose.position)
}
