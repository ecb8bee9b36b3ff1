//! Impulses that are due because their condition was met at the end of the step before.

use super::contact_record::ContactRecord;
use signorini_scene::scene::{Condition, Scene, State};

/// A speed attains its value within this fraction of the largest difference since it last did: friction
/// brings a spin to rest to within the tolerance only.
const REACHED: f64 = 1e-6;

/// State of each impulse with a condition.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Triggers {
    watches: Vec<TriggerState>,
}

#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct TriggerState {
    is_due: bool,
    is_spent: bool,
    /// Difference to the value of the condition, after the step before, and its largest magnitude since the
    /// condition was met.
    last: f64,
    largest: f64,
}

impl Triggers {
    /// Observes the state after `step` steps, and the contacts that led to it.
    pub fn observe(&mut self, scene: &Scene, state: &State, contacts: &[ContactRecord], step: usize) {
        self.watches.resize(scene.impulses.len(), TriggerState::default());
        for (trigger, impulse) in self.watches.iter_mut().zip(&scene.impulses) {
            let started = (impulse.time / scene.time_step - 1e-9).ceil() <= step as f64;
            trigger.is_due = match &impulse.when {
                None => false,
                Some(Condition::AngularVelocity { axis, reaches }) => {
                    trigger.observe(axis.dot(&state.velocities[impulse.body].angular) - reaches) && started
                }
                Some(Condition::Contact { kind }) => {
                    let of_body = |c: &&ContactRecord| c.body_a == impulse.body || c.body_b == impulse.body;
                    let meets = |c: &ContactRecord| c.pressing() > 0.0 && c.touch.kind >= *kind;
                    let met = started && !trigger.is_spent && contacts.iter().filter(of_body).any(meets);
                    trigger.is_spent |= met;
                    met
                }
            };
        }
    }

    /// Keeps the states of these impulses, in this order.
    pub fn keep(&mut self, impulses: &[usize]) {
        self.watches = impulses.iter().filter_map(|i| self.watches.get(*i).copied()).collect();
    }

    /// Whether an impulse of the scene acts in the next step because of its condition.
    pub fn is_due(&self, impulse: usize) -> bool {
        self.watches.get(impulse).is_some_and(|w| w.is_due)
    }
}

impl TriggerState {
    /// Adds a difference and tells whether it came to 0 from a distance.
    fn observe(&mut self, difference: f64) -> bool {
        let was_away = self.last.abs() > REACHED * self.largest;
        let is_met = was_away && (difference * self.last < 0.0 || difference.abs() <= REACHED * self.largest);
        // A difference that passed zero is away on the other side; one within the threshold has to leave it
        // first.
        let passed = is_met && difference.abs() > REACHED * self.largest;
        self.largest = if passed { difference.abs() } else { self.largest.max(difference.abs()) };
        self.last = difference;
        is_met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_reaches_its_value_once_each_time() {
        let mut trigger = TriggerState::default();
        let seen: Vec<bool> = [0.2, 0.1, 1e-9, 1e-9, 0.3, 0.1, -0.1, -0.2, -1e-8, 0.0]
            .iter()
            .map(|x| trigger.observe(*x))
            .collect();
        assert_eq!(seen, [false, false, true, false, false, false, true, false, true, false]);
    }
}
