//! The tables of a run in progress, side by side.

use super::chain::TABLES;
use super::digest::Extent;
use super::names;
use super::rows::{BodyRow, ContactRow, JointRow, StepRow, SubstepRow, TimeRow};
use super::table::{Mark, Table};
use crate::error::{Error, Result};
use crate::scene::Scene;
use crate::simulation::Simulation;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// All tables of a folder, open.
#[derive(Debug)]
pub struct Tables {
    folder: PathBuf,
    bodies: Table,
    contacts: Table,
    /// Of scenes with joints.
    joints: Option<Table>,
    /// Created with the first step that is halved.
    substeps: Option<Table>,
    steps: Table,
    times: Table,
}

/// How far the tables went at some step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMarks {
    /// Of [`TABLES`], in their order; None of a table that was not there.
    chained: [Option<Mark>; TABLES.len()],
    times: Mark,
}

impl Tables {
    /// Creates the tables in a folder, for a scene.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, scene: &Scene) -> Result<Self> {
        let create = |name: &str, columns: &[&str]| Table::create(folder.join(name), columns);
        Ok(Self {
            bodies: create(names::BODIES, &BodyRow::COLUMNS)?,
            contacts: create(names::CONTACTS, &ContactRow::COLUMNS)?,
            joints: match scene.joints.is_empty() {
                true => None,
                false => Some(create(names::JOINTS, &JointRow::COLUMNS)?),
            },
            substeps: None,
            steps: create(names::STEPS, &StepRow::COLUMNS)?,
            times: create(names::TIMES, &TimeRow::COLUMNS)?,
            folder: folder.to_owned(),
        })
    }

    /// Opens the tables in a folder to go on behind marks. What is behind them stays until [`Tables::cut`].
    ///
    /// # Errors
    /// When a file cannot be opened, or does not hold what it held when it was marked.
    pub fn open(folder: &Path, marks: &TableMarks) -> Result<Self> {
        let open = |at: usize| {
            let mark = marks.chained[at].as_ref();
            mark.map(|mark| Table::open(folder.join(TABLES[at]), mark)).transpose()
        };
        let needed = |at: usize| {
            let missing = || Error::Parse {
                file: folder.join(TABLES[at]),
                message: "the checkpoint does not know of it".to_owned(),
            };
            open(at)?.ok_or_else(missing)
        };
        Ok(Self {
            bodies: needed(0)?,
            contacts: needed(1)?,
            joints: open(2)?,
            substeps: open(3)?,
            steps: needed(4)?,
            times: Table::open(folder.join(names::TIMES), &marks.times)?,
            folder: folder.to_owned(),
        })
    }

    /// Takes away what is behind the last row that is known.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn cut(&mut self) -> Result<()> {
        if self.substeps.is_none() {
            remove_if_there(&self.folder.join(names::SUBSTEPS))?;
        }
        self.all_mut().try_for_each(Table::cut)
    }

    /// All poses and velocities at time 0.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_start(&mut self, simulation: &Simulation) -> Result<()> {
        let scene = simulation.scene();
        for i in 0..scene.bodies.len() {
            self.bodies.push(&BodyRow::new(scene, simulation.state(), i, 0, 0.0))?;
        }
        self.bodies.flush()
    }

    /// Bodies that can move, contacts, joints and substeps of the current step.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_sample(&mut self, simulation: &Simulation) -> Result<()> {
        let (scene, step, time) = (simulation.scene(), simulation.step_index(), simulation.time());
        for i in (0..scene.bodies.len()).filter(|&i| !scene.bodies[i].fixed || scene.is_carried(i)) {
            self.bodies.push(&BodyRow::new(scene, simulation.state(), i, step, time))?;
        }
        for contact in simulation.contacts() {
            self.contacts.push(&ContactRow::new(scene, contact, step, time))?;
        }
        if let Some(table) = &mut self.joints {
            for joint in simulation.joints() {
                table.push(&JointRow::new(scene, joint, step, time))?;
            }
            table.flush()?;
        }
        self.write_substeps(simulation)?;
        self.contacts.flush()?;
        self.bodies.flush()
    }

    /// Bodies of islands that were halved, at the ends of their substeps.
    fn write_substeps(&mut self, simulation: &Simulation) -> Result<()> {
        let (scene, step, time) = (simulation.scene(), simulation.step_index(), simulation.time());
        if simulation.substeps().is_empty() {
            return Ok(());
        }
        let table = match &mut self.substeps {
            Some(table) => table,
            none => none.insert(Table::create(self.folder.join(names::SUBSTEPS), &SubstepRow::COLUMNS)?),
        };
        for substep in simulation.substeps() {
            for state in &substep.bodies {
                table.push(&SubstepRow::new(scene, substep, state, step, time))?;
            }
        }
        table.flush()
    }

    /// How a step went, after [`Tables::write_sample`], so that a step in `steps.csv` has its bodies and
    /// contacts.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_step(&mut self, row: &StepRow<'_>, times: &TimeRow) -> Result<()> {
        self.times.push(times)?;
        self.times.flush()?;
        self.steps.push(row)?;
        self.steps.flush()
    }

    /// What the tables of the chain hold, in the order of [`TABLES`].
    pub fn extents(&self) -> [Extent; TABLES.len()] {
        self.chained().map(|table| table.map_or_else(Extent::nothing, Table::extent))
    }

    /// How far the tables go.
    pub fn marks(&self) -> TableMarks {
        TableMarks { chained: self.chained().map(|table| table.map(Table::mark)), times: self.times.mark() }
    }

    /// Has the operating system write everything to the disk.
    ///
    /// # Errors
    /// When it cannot.
    pub fn sync(&mut self) -> Result<()> {
        self.all_mut().try_for_each(|table| table.sync())
    }

    fn chained(&self) -> [Option<&Table>; TABLES.len()] {
        let Self { bodies, contacts, joints, substeps, steps, .. } = self;
        [Some(bodies), Some(contacts), joints.as_ref(), substeps.as_ref(), Some(steps)]
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Table> {
        let Self { bodies, contacts, joints, substeps, steps, times, .. } = self;
        let always = [bodies, contacts, steps, times];
        always.into_iter().chain(joints.as_mut()).chain(substeps.as_mut())
    }
}

/// Removes a file, if it is there.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_owned(), source: e })
        }
        _ => Ok(()),
    }
}
