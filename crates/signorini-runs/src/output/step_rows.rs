//! The rows of a step on their way to the tables.

use super::cells::Cells;
use super::chain::{BODIES, CONTACTS, FLOW, JOINTS, STEPS, SUBSTEPS, TABLES};
use super::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow, TimeRow};
use serde::Serialize;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use std::path::PathBuf;

/// Rows that a step adds to the tables.
#[derive(Debug, Default)]
pub struct StepRows {
    /// Step after whose rows the link comes.
    pub step: usize,
    /// Rows of [`TABLES`], in their order.
    pub chained: [Cells; TABLES.len()],
    /// Rows of `times.csv`.
    pub times: Cells,
}

impl StepRows {
    /// Makes the value of a step, without rows.
    pub fn new(step: usize) -> Self {
        Self { step, ..Self::default() }
    }

    /// Adds all poses and velocities at time 0.
    ///
    /// # Errors
    /// When a row is not of its form.
    pub fn add_start(&mut self, simulation: &Simulation) -> Result<()> {
        let scene = simulation.scene();
        (0..scene.bodies.len())
            .try_for_each(|i| self.push(BODIES, &BodyRow::new(scene, simulation.state(), i, 0, 0.0)))
    }

    /// Adds bodies that can move (all if none can), contacts, joints and substeps of the current step.
    ///
    /// # Errors
    /// When a row is not of its form.
    pub fn add_sample(&mut self, simulation: &Simulation) -> Result<()> {
        let (scene, step, time) = (simulation.scene(), simulation.step_index(), simulation.time());
        for joint in simulation.joints() {
            self.push(JOINTS, &JointRow::new(scene, joint, step, time))?;
        }
        for substep in simulation.substeps() {
            for state in &substep.bodies {
                self.push(SUBSTEPS, &SubstepRow::new(scene, substep, state, step, time))?;
            }
        }
        for contact in simulation.contacts() {
            self.push(CONTACTS, &ContactRow::new(scene, contact, step, time))?;
        }
        for (i, _) in scene.recorded().into_iter().enumerate().filter(|(_, is_recorded)| *is_recorded) {
            self.push(BODIES, &BodyRow::new(scene, simulation.state(), i, step, time))?;
        }
        Ok(())
    }

    /// Adds bodies that came and left with the current step.
    ///
    /// # Errors
    /// When a row is not of its form.
    pub fn add_flow(&mut self, simulation: &Simulation) -> Result<()> {
        let (scene, step) = (simulation.scene(), simulation.step_index());
        simulation.flow().iter().try_for_each(|record| self.push(FLOW, &FlowRow::new(scene, record, step)))
    }

    /// Adds the results and times of the step.
    ///
    /// # Errors
    /// When a row is not of its form.
    pub fn add_step(&mut self, row: &StepRow<'_>, times: &TimeRow) -> Result<()> {
        self.times.push(times).map_err(fault)?;
        self.push(STEPS, row)
    }

    /// Number of fields of all rows.
    pub fn n_cells(&self) -> usize {
        self.chained.iter().chain([&self.times]).map(Cells::n_cells).sum()
    }

    fn push<R: Serialize>(&mut self, at: usize, row: &R) -> Result<()> {
        self.chained[at].push(row).map_err(fault)
    }
}

fn fault(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Io { path: PathBuf::from("tables"), source: std::io::Error::other(error) }
}
