//! The folder of a run, written step by step.

use super::chain::{self, Chain};
use super::digest::Extent;
use super::names;
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
    /// Locks the folder.
    chain: Chain,
    every: usize,
    last_sampled: usize,
    summary: Summary,
    start: Instant,
}

impl RunFolder {
    /// Whether a run may be written to `path`: it does not exist, is an empty folder, or `replace` is
    /// set and it is a folder. Into which no other run is writing. Touches nothing.
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
            Ok(_) => chain::check_idle(path)?,
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
    /// contacts to the steps that are multiples of it, and the last. The folder is locked as long as this
    /// lives.
    ///
    /// # Errors
    /// When another run is writing into the folder, or the folder or a file cannot be written.
    pub fn create(path: &Path, simulation: &Simulation, scene_file: &str, every: usize) -> Result<Self> {
        fs::create_dir_all(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let claim = Chain::claim(path)?;
        remove_earlier_run(path)?;
        let scene = simulation.scene();
        let resolved = format!(
            "# As resolved by signorini {} from {scene_file:?}, seed {}.\n{}",
            env!("CARGO_PKG_VERSION"),
            scene.seed,
            scene::to_toml(scene)
        );
        let mut folder = Self {
            chain: Chain::start(claim, path, &resolved)?,
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
            summary: Summary::new(scene, scene_file, every),
            start: Instant::now(),
        };
        folder.write(names::SCENE, &resolved)?;
        for i in 0..scene.bodies.len() {
            folder.bodies.push(&BodyRow::new(scene, simulation.state(), i, 0, 0.0))?;
        }
        folder.bodies.flush()?;
        folder.add_link(0)?;
        Ok(folder)
    }

    /// Writes the step that `simulation` just took.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn record(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<()> {
        let min_gap = min_gap(simulation, outcome);
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
        let row = StepRow::new(outcome, energies, min_gap);
        self.summary.add(&row);
        self.steps.push(&row)?;
        // After the others, so that a step in steps.csv has its bodies and contacts.
        self.steps.flush()?;
        self.add_link(outcome.step)
    }

    /// Writes what is still missing: the last step's bodies and contacts if they were thinned out, and
    /// the summary, which is returned. A step that was given up is no step of the run.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(mut self, simulation: &Simulation, exit_reason: ExitReason) -> Result<Summary> {
        let is_recorded = simulation.step_index() == self.summary.steps;
        if is_recorded && self.last_sampled < simulation.step_index() {
            self.sample(simulation)?;
            self.add_link(simulation.step_index())?;
        }
        self.summary.exit_reason = exit_reason;
        if let Some(backend) = simulation.backend() {
            self.summary.backend = "gpu".to_owned();
            self.summary.device = Some(DeviceSummary::new(backend));
        }
        self.summary.wall_seconds = self.start.elapsed().as_secs_f64();
        self.summary.chain = self.chain.link().text();
        let text = self.summary.seal();
        self.write(names::SUMMARY, &text)?;
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

    /// Binds what the tables hold after a step.
    fn add_link(&mut self, step: usize) -> Result<()> {
        let of = |table: &Option<Table>| table.as_ref().map_or_else(Extent::nothing, Table::extent);
        let extents = [
            self.bodies.extent(),
            self.contacts.extent(),
            of(&self.joints),
            of(&self.substeps),
            self.steps.extent(),
        ];
        self.chain.add(step, &extents)
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
