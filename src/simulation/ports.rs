//! State of inlets and outlets between steps.

use serde::{Deserialize, Serialize};
use signorini_scene::scene::{BodyId, Inlet};
use std::collections::BTreeMap;

/// State of inlets and outlets between steps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ports {
    /// Queue of each inlet.
    pub queues: Vec<Queue>,
    /// Bodies that leave when the next step is taken.
    pub leaving: Vec<BodyId>,
    /// Instants (s) at which the bodies inside came in. Those present from the start are missing.
    #[serde(rename = "came")]
    pub entry_times: BTreeMap<BodyId, f64>,
}

/// Bodies of an inlet, one after the other.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Queue {
    /// Number of the next body, which is also the number of bodies that have come.
    pub next: u64,
    /// Mass of the bodies that have come (kg).
    pub mass: f64,
    /// Whether the next body has waited.
    pub is_waiting: bool,
}

impl Ports {
    /// Makes the state of so many inlets, before any step.
    pub fn new(inlets: usize) -> Self {
        Self { queues: vec![Queue::default(); inlets], ..Self::default() }
    }

    /// Whether the state belongs to a scene of so many inlets and to bodies of these ids.
    pub fn is_of(&self, inlets: usize, ids: &[BodyId]) -> bool {
        let is_there = |id: &BodyId| ids.binary_search(id).is_ok();
        self.queues.len() == inlets && self.leaving.iter().chain(self.entry_times.keys()).all(is_there)
    }
}

impl Queue {
    /// Instant (s) at which the next body was due, if it is due with a step of length h that starts at t (s).
    pub fn due(&self, inlet: &Inlet, t: f64, h: f64) -> Option<f64> {
        inlet.due(self.next, self.mass).filter(|due| Inlet::is_due(*due, t, h))
    }

    /// Moves on after the next body has come, which has a mass (kg).
    pub fn pass(&mut self, mass: f64) {
        *self = Self { next: self.next + 1, mass: self.mass + mass, is_waiting: false };
    }
}
