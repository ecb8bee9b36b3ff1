//! Force and torque of the contacts on a body.

use super::observed::Observed;
use super::value::{Value, numbers};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Sums of the impulses on a body over an interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BodyImpulses {
    name: String,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl BodyImpulses {
    pub const COLUMNS: [&'static str; 7] = ["contacts", "fx", "fy", "fz", "tx", "ty", "tz"];

    /// The sums on a body of a name, before any step.
    pub fn new(name: String) -> Self {
        Self { name, linear: Vector3::zeros(), angular: Vector3::zeros() }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        let Some(body) = self.place(step) else { return };
        let centre = step.state.poses[body].position;
        for contact in step.contacts.iter().filter(|c| c.counts() && (c.body_a == body || c.body_b == body)) {
            let sign = if contact.body_b == body { 1.0 } else { -1.0 };
            let push = contact.impulse() * sign;
            self.linear += push;
            let point = step.points(contact)[usize::from(contact.body_b == body)];
            self.angular += (point - centre).cross(&push);
            self.angular +=
                contact.normal * (sign * contact.torsional_impulse) + contact.rolling_impulse * sign;
        }
    }

    /// The row of an interval of a length (s) that ended with a step: means over the interval.
    pub fn row(&mut self, step: &Observed<'_>, length: f64) -> Vec<Value> {
        let own = self.place(step);
        let loaded_contacts =
            step.loaded_contacts().filter(|c| Some(c.body_a) == own || Some(c.body_b) == own).count();
        let [linear, angular] = [&mut self.linear, &mut self.angular].map(|sum| std::mem::take(sum) / length);
        [Value::Count(loaded_contacts)]
            .into_iter()
            .chain(numbers([linear, angular].iter().flatten().copied()))
            .collect()
    }

    fn place(&self, step: &Observed<'_>) -> Option<usize> {
        step.scene.bodies.iter().position(|body| body.name == self.name)
    }
}
