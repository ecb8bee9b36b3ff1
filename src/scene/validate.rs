//! Checks of a scene built in Rust.

use super::definition::Scene;
use super::file::{LoadOptions, Report, file_of, resolve};
use crate::error::Result;
use std::path::Path;

impl Scene {
    /// Checks a scene built by hand by the rules of scene files.
    ///
    /// # Errors
    /// All faults, fields named as in a scene file.
    pub fn validate(&self) -> Result<()> {
        let mut report = Report::new(Path::new("scene"));
        check_indices(self, &mut report);
        report.stop_if_faulty()?;
        resolve(&file_of(self), &LoadOptions::default(), &mut report).map(|_| ())
    }
}

/// Faults of a hand-built scene that have no counterpart in a file: indices out of range.
fn check_indices(scene: &Scene, report: &mut Report) {
    let n = scene.friction.materials.len();
    let entries = scene.friction.entries.len();
    if entries != n * n {
        report.fault("friction.entries", entries, format!("must be the square of the {n} materials"));
    }
    for (i, body) in scene.bodies.iter().enumerate().filter(|(_, b)| b.material >= n) {
        report.fault(format!("bodies[{i}].material"), body.material, format!("must be below {n}"));
    }
    let bodies = scene.bodies.len();
    let loads = scene.impulses.iter().map(|p| ("impulses", p.body));
    let loads = loads.chain(scene.forces.iter().map(|f| ("forces", f.body)));
    let springs = scene.springs.iter().flat_map(|s| s.bodies).map(|id| ("springs", id));
    let joints = scene.joints.iter().flat_map(|j| j.bodies).map(|id| ("joints", id));
    let motions = scene.motions.iter().flat_map(|m| [Some(m.body), m.relative_to]);
    let motions = motions.flatten().map(|id| ("motions", id));
    for (list, id) in loads.chain(springs).chain(joints).chain(motions).filter(|l| l.1 >= bodies) {
        report.fault(format!("{list}.body"), id, format!("must be below {bodies}"));
    }
}
