//! Bodies that came in and left, in `summary.json`.

use serde::{Deserialize, Serialize};
use signorini::step::{FlowTally, PortTally};
use signorini_scene::scene::Scene;

/// Bodies that came in and left during a run. Sums of masses are exact, and rounded once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSummary {
    /// The inlets, in the order of the scene.
    pub inlets: Vec<PortSummary>,
    /// The outlets, in the order of the scene.
    pub outlets: Vec<PortSummary>,
    /// Number of bodies inside at the end that can move: those of the start and those that came, without
    /// those that left.
    pub bodies_inside: usize,
    /// Mass of the bodies inside (kg).
    pub mass_inside: f64,
}

/// Bodies that passed an inlet or an outlet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PortSummary {
    /// Name of the port.
    pub name: String,
    /// Number of bodies that passed.
    pub bodies: usize,
    /// Mass of the bodies that passed (kg).
    pub mass: f64,
    /// Number of bodies of an inlet that had to wait for room.
    pub waited: usize,
    /// Longest time (s) by which one of these came after it was due.
    pub longest_wait: f64,
    /// Instant (s) at which the next body of an inlet was due, if it waits for room at the end.
    pub waits_since: Option<f64>,
    /// Number of bodies of an outlet that touched another under load in the step with which they left.
    pub in_contact: usize,
}

impl FlowSummary {
    /// Makes the summary of a tally; None where the scene has no ports.
    pub fn new(scene: &Scene, tally: &FlowTally) -> Option<Self> {
        let port = |(name, port): (&str, &PortTally)| PortSummary {
            name: name.to_owned(),
            bodies: port.passed.bodies,
            mass: port.passed.mass.value(),
            waited: port.waited,
            longest_wait: port.longest_wait,
            waits_since: port.waits_since,
            in_contact: port.in_contact,
        };
        let inlets = scene.inlets.iter().map(|inlet| inlet.name()).zip(&tally.inlets);
        let outlets = scene.outlets.iter().map(|outlet| outlet.name()).zip(&tally.outlets);
        let (bodies_inside, mass_inside) = tally.inside();
        (!tally.is_empty()).then(|| Self {
            inlets: inlets.map(port).collect(),
            outlets: outlets.map(port).collect(),
            bodies_inside,
            mass_inside: mass_inside.value(),
        })
    }
}
