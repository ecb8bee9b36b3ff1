//! The folder of a run, written step by step.

use super::rows::{BodyRow, ContactRow, JointRow, StepRow, SubstepRow};
use super::summary::{DeviceSummary, ExitReason, Summary};
use super::table::Table;
use crate::error::{Error, Result};
use crate::scene;
use crate::scene::energy;
use crate::simulation::{OnBackend, Simulation, StepOutcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Names of the files of a run.
pub mod names {
    /// The scene as resolved.
    pub const SCENE: &str = "scene.toml";
    /// Poses and velocities.
    pub const BODIES: &str = "bodies.csv";
    /// Contacts.
    pub const CONTACTS: &str = "contacts.csv";
    /// Substeps of islands that were halved, if any.
    pub const SUBSTEPS: &str = "substeps.csv";
    /// Joints, if the scene has any.
    pub const JOINTS: &str = "joints.csv";
    /// How each step went.
    pub const STEPS: &str = "steps.csv";
    /// The run in one page.
    pub const SUMMARY: &str = "summary.json";
    /// The run as a page, if one was made.
    pub const PAGE: &str = "run.html";
    /// Folder of the figures.
    pub const PLOTS: &str = "plots";
}

/// The folder of a run in progress. After [`RunFolder::record`] returns, the step's rows are with the
/// operating system: a process that is killed loses only the step it was computing.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    bodies: Table,
    contacts: Table,
    /// Of scenes with joints.
    joints: Option<Table>,
    /// Created with the first step that is halved.
    substeps: Option<Table>,
    steps: Table,
    every: usize,
    last_sampled: usize,
    summary: Summary,
    start: Instant,
}

impl RunFolder {
    /// Whether a run may be written to `path`: it does not exist, is an empty folder, or `replace` is
    /// set and it is a folder. Touches nothing.
    ///
    /// # Errors
    /// When it may not, or the folder cannot be read.
    pub fn check_vacant(path: &Path, replace: bool) -> Result<()> {
        let usage = |allowed: &str| {
            Err(Error::Usage {
                what: format!("output folder {}", path.display()),
                allowed: allowed.to_owned(),
            })
        };
        if path.as_os_str().is_empty() {
            return usage("the name is empty");
        }
        match fs::metadata(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(Error::Io { path: path.to_owned(), source }),
            Ok(metadata) if !metadata.is_dir() => return usage("exists and is not a folder"),
            Ok(_) => {}
        }
        let mut entries = fs::read_dir(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        if entries.next().is_some() && !replace {
            return usage(
                "exists and is not empty; choose another with --out or replace the run with --force",
            );
        }
        Ok(())
    }

    /// Creates the folder with its tables and writes the scene and the state at time 0. The files of an
    /// earlier run in the folder are removed first, other files are left alone. `every` thins bodies and
    /// contacts to the steps that are multiples of it, and the last.
    ///
    /// # Errors
    /// When the folder or a file cannot be written.
    pub fn create(path: &Path, simulation: &Simulation, scene_file: &str, every: usize) -> Result<Self> {
        fs::create_dir_all(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        remove_earlier_run(path)?;
        let scene = simulation.scene();
        let mut folder = Self {
            bodies: Table::create(path.join(names::BODIES), &BodyRow::COLUMNS)?,
            contacts: Table::create(path.join(names::CONTACTS), &ContactRow::COLUMNS)?,
            joints: match scene.joints.is_empty() {
                true => None,
                false => Some(Table::create(path.join(names::JOINTS), &JointRow::COLUMNS)?),
            },
            substeps: None,
            steps: Table::create(path.join(names::STEPS), &StepRow::COLUMNS)?,
            path: path.to_owned(),
            every,
            last_sampled: 0,
            summary: Summary::new(scene, scene_file),
            start: Instant::now(),
        };
        let header = format!(
            "# As resolved by signorini {} from {scene_file:?}, seed {}.\n",
            env!("CARGO_PKG_VERSION"),
            scene.seed
        );
        folder.write(names::SCENE, &(header + &scene::to_toml(scene)))?;
        for i in 0..scene.bodies.len() {
            folder.bodies.push(&BodyRow::new(scene, simulation.state(), i, 0, 0.0))?;
        }
        folder.bodies.flush()?;
        Ok(folder)
    }

    /// Writes the step that `simulation` just took.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn record(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<()> {
        let min_gap = min_gap(simulation, outcome);
        self.summary.add(outcome, min_gap);
        if outcome.step.is_multiple_of(self.every) {
            self.sample(simulation)?;
        }
        let energies = match &outcome.verdict {
            Some(verdict) => [verdict.kinetic_energy, verdict.potential_energy],
            None => {
                let (scene, state) = (simulation.scene(), simulation.state());
                [energy::kinetic(scene, state), energy::potential(scene, state)]
            }
        };
        self.steps.push(&StepRow::new(outcome, energies, min_gap))?;
        // Last, so that a step in steps.csv has its bodies and contacts.
        self.steps.flush()
    }

    /// Writes what is still missing: the last step's bodies and contacts if they were thinned out, and
    /// the summary, which is returned.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(mut self, simulation: &Simulation, exit_reason: ExitReason) -> Result<Summary> {
        if self.last_sampled < simulation.step_index() {
            self.sample(simulation)?;
        }
        self.summary.exit_reason = exit_reason;
        if let Some(backend) = simulation.backend() {
            self.summary.backend = "gpu".to_owned();
            self.summary.device = Some(DeviceSummary::new(backend));
        }
        self.summary.wall_seconds = self.start.elapsed().as_secs_f64();
        let text = serde_json::to_string_pretty(&self.summary)
            .map_err(|e| Error::Io { path: self.path.join(names::SUMMARY), source: e.into() })?;
        self.write(names::SUMMARY, &(text + "\n"))?;
        Ok(self.summary)
    }

    /// Bodies that can move, and contacts, of the current step.
    fn sample(&mut self, simulation: &Simulation) -> Result<()> {
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
        self.sample_substeps(simulation)?;
        self.last_sampled = step;
        self.contacts.flush()?;
        self.bodies.flush()
    }

    /// Bodies of islands that were halved, at the ends of their substeps.
    fn sample_substeps(&mut self, simulation: &Simulation) -> Result<()> {
        let (scene, step, time) = (simulation.scene(), simulation.step_index(), simulation.time());
        if simulation.substeps().is_empty() {
            return Ok(());
        }
        let table = match &mut self.substeps {
            Some(table) => table,
            none => none.insert(Table::create(self.path.join(names::SUBSTEPS), &SubstepRow::COLUMNS)?),
        };
        for substep in simulation.substeps() {
            for state in &substep.bodies {
                table.push(&SubstepRow::new(scene, substep, state, step, time))?;
            }
        }
        table.flush()
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        fs::write(&path, text).map_err(|source| Error::Io { path, source })
    }
}

/// The referee's smallest gap, which knows every pair, or the smallest of the contact list (m).
fn min_gap(simulation: &Simulation, outcome: &StepOutcome) -> Option<f64> {
    let gap = match &outcome.verdict {
        Some(verdict) => verdict.min_gap,
        None => simulation.contacts().iter().fold(f64::INFINITY, |least, c| least.min(c.gap)),
    };
    gap.is_finite().then_some(gap)
}

/// Removes what [`RunFolder`], the plots and the page's writer write, nothing else.
fn remove_earlier_run(path: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = [
        names::SCENE,
        names::BODIES,
        names::CONTACTS,
        names::JOINTS,
        names::SUBSTEPS,
        names::STEPS,
        names::SUMMARY,
        names::PAGE,
    ]
    .map(|n| path.join(n))
    .into();
    if let Ok(entries) = fs::read_dir(path.join(names::PLOTS)) {
        let figures = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "png" || e == "svg"));
        files.extend(figures);
    }
    for file in files {
        match fs::remove_file(&file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Io { path: file, source: e });
            }
            _ => {}
        }
    }
    Ok(())
}
