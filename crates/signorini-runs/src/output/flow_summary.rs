//! What came in and left, in `summary.json`.

use signorini_scene::scene::Scene;
use signorini::step::{FlowTally, GateTally};
use serde::{Deserialize, Serialize};

/// What came in and left during a run. Sums of masses are exact, and rounded once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSummary {
    /// The inlets, in the order of the scene.
    pub inlets: Vec<GateSummary>,
    /// The outlets, in the order of the scene.
    pub outlets: Vec<GateSummary>,
    /// Bodies that can move inside at the end: those of the start and those that came, without those that
    /// left.
    pub bodies_inside: usize,
    /// Their mass (kg).
    pub mass_inside: f64,
}

/// What passed an inlet or an outlet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GateSummary {
    /// Its name.
    pub name: String,
    /// Bodies that passed.
    pub bodies: usize,
    /// Their mass (kg).
    pub mass: f64,
    /// Of an inlet: bodies that had to wait for room.
    pub waited: usize,
    /// Of an inlet: the longest that one of these came after it was due (s).
    pub longest_wait: f64,
    /// Of an inlet: when the next body was due (s), if it waits for room at the end.
    pub waits_since: Option<f64>,
    /// Of an outlet: bodies that bore on another in the step with which they left.
    pub in_contact: usize,
}

impl FlowSummary {
    /// Of a tally; None where the scene has no gates.
    pub fn new(scene: &Scene, tally: &FlowTally) -> Option<Self> {
        let gate = |(name, gate): (&str, &GateTally)| GateSummary {
            name: name.to_owned(),
            bodies: gate.passed.bodies,
            mass: gate.passed.mass.value(),
            waited: gate.waited,
            longest_wait: gate.longest_wait,
            waits_since: gate.waits_since,
            in_contact: gate.in_contact,
        };
        let inlets = scene.inlets.iter().map(|inlet| inlet.name()).zip(&tally.inlets);
        let outlets = scene.outlets.iter().map(|outlet| outlet.name()).zip(&tally.outlets);
        let (bodies_inside, mass_inside) = tally.inside();
        (!tally.is_empty()).then(|| Self {
            inlets: inlets.map(gate).collect(),
            outlets: outlets.map(gate).collect(),
            bodies_inside,
            mass_inside: mass_inside.value(),
        })
    }
}
