//! What inlets and outlets remember between steps.

use signorini_scene::scene::{BodyId, Inlet};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What inlets and outlets remember between steps.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Gates {
    /// Of each inlet.
    pub queues: Vec<Queue>,
    /// Bodies that leave when the next step is taken.
    pub leaving: Vec<BodyId>,
    /// When the bodies came that are inside (s). Those that were there from the start are missing.
    pub came: BTreeMap<BodyId, f64>,
}

/// The bodies of an inlet, one after the other.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Queue {
    /// Number of the next body: so many have come.
    pub next: u64,
    /// Mass of those (kg).
    pub mass: f64,
    /// Whether the next one has waited.
    pub is_waiting: bool,
}

impl Gates {
    /// For so many inlets, before any step.
    pub fn new(inlets: usize) -> Self {
        Self { queues: vec![Queue::default(); inlets], ..Self::default() }
    }

    /// Whether it belongs to a scene of so many inlets and to bodies of these ids.
    pub fn is_of(&self, inlets: usize, ids: &[BodyId]) -> bool {
        let is_there = |id: &BodyId| ids.binary_search(id).is_ok();
        self.queues.len() == inlets && self.leaving.iter().chain(self.came.keys()).all(is_there)
    }
}

impl Queue {
    /// When the next body was due (s), if it is due with a step of length h that starts at t (s).
    pub fn due(&self, inlet: &Inlet, t: f64, h: f64) -> Option<f64> {
        inlet.due(self.next, self.mass).filter(|due| Inlet::is_due(*due, t, h))
    }

    /// The next body has come; it has a mass (kg).
    pub fn pass(&mut self, mass: f64) {
        *self = Self { next: self.next + 1, mass: self.mass + mass, is_waiting: false };
    }
}
