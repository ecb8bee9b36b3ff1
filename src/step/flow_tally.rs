//! Tally of the bodies that came in and left so far.

use super::flow_record::FlowEvent;
use serde::{Deserialize, Serialize};
use signorini_kernels::math::ExactSum;
use signorini_scene::scene::Scene;

/// Sums over the flow of a run, exact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowTally {
    /// Bodies that can move, and their mass (kg), at the start.
    pub start: Amount,
    /// Tally of each inlet.
    pub inlets: Vec<PortTally>,
    /// Tally of each outlet.
    pub outlets: Vec<PortTally>,
}

/// Bodies and their mass.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// Number of bodies.
    pub bodies: usize,
    /// Mass of the bodies (kg).
    pub mass: ExactSum,
}

/// Tally of the bodies that passed an inlet or an outlet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PortTally {
    /// Bodies that passed.
    pub passed: Amount,
    /// Number of bodies that had to wait for room.
    pub waited: usize,
    /// Longest time (s) by which one of these came after it was due.
    pub longest_wait: f64,
    /// Instant (s) since when the next body waits, if it does.
    pub waits_since: Option<f64>,
    /// Number of bodies that touched another under load in the step with which they left.
    pub in_contact: usize,
}

/// A body that comes in, leaves or waits at a port.
#[derive(Debug, Clone, Copy)]
pub struct PortEvent {
    /// Kind of the event.
    pub kind: FlowEvent,
    /// Place of the port in the list.
    pub port: usize,
    /// Mass of the body (kg).
    pub mass: f64,
    /// Instant of the event (s).
    pub time: f64,
    /// Instant at which a body that comes or waits was due (s).
    pub due: f64,
    /// Number of loaded contacts of a body that leaves.
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
    /// Makes the tally of a scene, before any step.
    pub fn new(scene: &Scene) -> Self {
        let mut tally = Self {
            start: Amount::default(),
            inlets: vec![PortTally::default(); scene.inlets.len()],
            outlets: vec![PortTally::default(); scene.outlets.len()],
        };
        scene.bodies.iter().filter(|body| !body.fixed).for_each(|body| tally.start.add(body.mass));
        tally
    }

    /// Whether the scene has no ports.
    pub fn is_empty(&self) -> bool {
        self.inlets.is_empty() && self.outlets.is_empty()
    }

    /// Adds an event.
    pub fn add(&mut self, event: &PortEvent) {
        let ports = if event.kind == FlowEvent::Out { &mut self.outlets } else { &mut self.inlets };
        let Some(port) = ports.get_mut(event.port) else { return };
        if event.kind == FlowEvent::Wait {
            port.waited += 1;
            port.waits_since = Some(event.due);
            return;
        }
        port.passed.add(event.mass);
        port.in_contact += usize::from(event.contacts > 0);
        if port.waits_since.take().is_some() {
            port.longest_wait = port.longest_wait.max(event.time - event.due);
        }
    }

    /// Number of bodies inside and their mass (kg): those of the start and those that came, without those
    /// that left.
    pub fn inside(&self) -> (usize, ExactSum) {
        let mut mass = self.start.mass.clone();
        self.inlets.iter().for_each(|port| mass.add_sum(&port.passed.mass));
        self.outlets.iter().for_each(|port| mass.subtract_sum(&port.passed.mass));
        let sum = |ports: &[PortTally]| ports.iter().map(|port| port.passed.bodies).sum::<usize>();
        ((self.start.bodies + sum(&self.inlets)).saturating_sub(sum(&self.outlets)), mass)
    }
}
