//! Force and torque of the contacts on a group of bodies.

use super::observed::Observed;
use super::value::{Value, numbers};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Sums of the impulses on a group over an interval; those between two of the group cancel.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GroupImpulses {
    names: Vec<String>,
    about: Vector3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl GroupImpulses {
    pub const COLUMNS: [&'static str; 8] = ["bodies", "contacts", "fx", "fy", "fz", "tx", "ty", "tz"];

    /// The sums on a group, before any step; torques are about a point (m).
    pub fn new(names: Vec<String>, about: Vector3<f64>) -> Self {
        Self { names, about, linear: Vector3::zeros(), angular: Vector3::zeros() }
    }

    pub fn observe(&mut self, step: &Observed<'_>) {
        let own = step.are_named(&self.names);
        for contact in step.contacts.iter().filter(|c| c.counts() && own[c.body_a] != own[c.body_b]) {
            let sign = if own[contact.body_b] { 1.0 } else { -1.0 };
            let push = contact.impulse() * sign;
            let point = step.points(contact)[usize::from(own[contact.body_b])];
            let spin = contact.normal * contact.torsional_impulse + contact.rolling_impulse;
            self.linear += push;
            self.angular += (point - self.about).cross(&push) + spin * sign;
        }
    }

    /// The row of an interval of a length (s) that ended with a step: means over the interval.
    pub fn row(&mut self, step: &Observed<'_>, length: f64) -> Vec<Value> {
        let own = step.are_named(&self.names);
        let contacts = step.loaded_contacts().filter(|c| own[c.body_a] != own[c.body_b]).count();
        let bodies = own.iter().filter(|own| **own).count();
        let [linear, angular] = [&mut self.linear, &mut self.angular].map(|sum| std::mem::take(sum) / length);
        let counts = [bodies, contacts].map(Value::Count).into_iter();
        counts.chain(numbers([linear, angular].iter().flatten().copied())).collect()
    }
}
