//! What came in and left so far.

use super::flow_record::FlowEvent;
use signorini_kernels::math::ExactSum;
use signorini_scene::scene::Scene;
use serde::{Deserialize, Serialize};

/// Sums over the flow of a run, exact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowTally {
    /// Bodies that can move, and their mass (kg), at the start.
    pub start: Amount,
    /// Of each inlet.
    pub inlets: Vec<GateTally>,
    /// Of each outlet.
    pub outlets: Vec<GateTally>,
}

/// Bodies and their mass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// Bodies.
    pub bodies: usize,
    /// Their mass (kg).
    pub mass: ExactSum,
}

/// What passed an inlet or an outlet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateTally {
    /// What passed.
    pub passed: Amount,
    /// Bodies that had to wait for room.
    pub waited: usize,
    /// The longest that one came after it was due (s), of those that had to wait.
    pub longest_wait: f64,
    /// Since when the next one waits (s), if it does.
    pub waits_since: Option<f64>,
    /// Bodies that bore on another in the step with which they left.
    pub in_contact: usize,
}

/// One thing that happened at a gate.
#[derive(Debug, Clone, Copy)]
pub struct Passage {
    /// What.
    pub event: FlowEvent,
    /// Place of the gate in the list.
    pub gate: usize,
    /// Mass of the body (kg).
    pub mass: f64,
    /// When (s).
    pub time: f64,
    /// When a body that comes or waits was due (s).
    pub due: f64,
    /// Contacts that bore a load, of a body that leaves.
    pub contacts: usize,
}

impl Amount {
    /// Adds a body of a mass (kg).
    pub fn add(&mut self, mass: f64) {
        self.bodies += 1;
        self.mass.add(mass);
    }
}

impl FlowTally {
    /// Of a scene, before any step.
    pub fn new(scene: &Scene) -> Self {
        let mut tally = Self {
            start: Amount::default(),
            inlets: vec![GateTally::default(); scene.inlets.len()],
            outlets: vec![GateTally::default(); scene.outlets.len()],
        };
        scene.bodies.iter().filter(|body| !body.fixed).for_each(|body| tally.start.add(body.mass));
        tally
    }

    /// Whether the scene has no gates.
    pub fn is_empty(&self) -> bool {
        self.inlets.is_empty() && self.outlets.is_empty()
    }

    /// Adds what happened.
    pub fn add(&mut self, passage: &Passage) {
        let gates = if passage.event == FlowEvent::Out { &mut self.outlets } else { &mut self.inlets };
        let Some(gate) = gates.get_mut(passage.gate) else { return };
        if passage.event == FlowEvent::Wait {
            gate.waited += 1;
            gate.waits_since = Some(passage.due);
            return;
        }
        gate.passed.add(passage.mass);
        gate.in_contact += usize::from(passage.contacts > 0);
        if gate.waits_since.take().is_some() {
            gate.longest_wait = gate.longest_wait.max(passage.time - passage.due);
        }
    }

    /// Bodies inside and their mass (kg): those of the start and those that came, without those that left.
    pub fn inside(&self) -> (usize, ExactSum) {
        let mut mass = self.start.mass.clone();
        self.inlets.iter().for_each(|gate| mass.add_sum(&gate.passed.mass));
        self.outlets.iter().for_each(|gate| mass.subtract_sum(&gate.passed.mass));
        let sum = |gates: &[GateTally]| gates.iter().map(|gate| gate.passed.bodies).sum::<usize>();
        ((self.start.bodies + sum(&self.inlets)).saturating_sub(sum(&self.outlets)), mass)
    }
}
