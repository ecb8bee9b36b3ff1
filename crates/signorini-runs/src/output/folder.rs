//! The folder of a run, written step by step.

use super::background_writer::{BackgroundWriter, OutputFiles};
use super::chain::{self, Chain};
use super::checkpoint_slot::{CheckpointSlot, ResumedFolder};
use super::flow_summary::FlowSummary;
use super::measures::Measures;
use super::names;
use super::new_folders::NewFolders;
use super::rows::{StepRow, TimeRow, port_event};
use super::step_rows::StepRows;
use super::summary::{DeviceSummary, ExitReason, Summary};
use super::tables::{TableFormat, Tables, remove_if_there};
use signorini::simulation::{OnBackend, Simulation, StepObserver, StepOutcome};
use signorini::step::FlowTally;
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::write_durably;
use signorini_scene::scene;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time between two checks that the folder of a run still exists.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The folder of a run in progress. A thread of its own makes text of the rows and passes them to the
/// operating system while the next steps are computed: a process that is killed loses the step it was
/// computing and up to 2 steps that waited (of HDF5 tables more). [`RunFolder::write_checkpoint`] and
/// [`RunFolder::finish`] wait until everything is written.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Tables and chain.
    pub(super) written: BackgroundWriter,
    pub(super) every: usize,
    pub(super) last_sampled: usize,
    pub(super) summary: Summary,
    pub(super) tally: FlowTally,
    pub(super) measures: Measures,
    /// State of a resumed run that has written nothing yet.
    pub(super) resumed: Option<ResumedFolder>,
    pub(super) checkpoint_slot: CheckpointSlot,
    /// Instant at which the folder was opened; `last_check` is that of the last check of its place.
    start: Instant,
    last_check: Instant,
    /// Wall time of the run before it was resumed (s).
    seconds_before: f64,
}

impl RunFolder {
    /// Checks that a run may be written to `path`: it does not exist, is an empty folder, or `replace` is set
    /// and it is a folder, and no other run is writing into it. Changes nothing.
    ///
    /// # Errors
    /// When the run may not be written, or the folder cannot be read.
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
    /// contacts to the steps that are multiples of it, and the last. The folder is locked as long as the
    /// value exists.
    ///
    /// # Errors
    /// When another run is writing into the folder, or the folder or a file cannot be written.
    pub fn create(path: &Path, simulation: &Simulation, scene_file: &str, every: usize) -> Result<Self> {
        Self::create_as(path, simulation, scene_file, every, TableFormat::Csv)
    }

    /// Creates the folder as [`RunFolder::create`] does, with tables in a format. Of HDF5 tables a process
    /// that is killed loses the rows since the last chunk was full, to which a checkpoint goes back.
    ///
    /// # Errors
    /// When the folder cannot be created, as for [`RunFolder::create`].
    pub fn create_as(
        path: &Path,
        simulation: &Simulation,
        scene_file: &str,
        every: usize,
        format: TableFormat,
    ) -> Result<Self> {
        let made = NewFolders::make(path)?;
        let begun = Chain::claim(path).and_then(|claim| {
            remove_earlier_run(path)?;
            let begun = Self::begin(claim, path, simulation, scene_file, every, format);
            if begun.is_err() {
                // The next run would be refused for what is left.
                drop(remove_earlier_run(path));
                drop(remove_if_there(&path.join(names::CHAIN)));
            }
            begun
        });
        if begun.is_err() {
            made.remove();
        }
        begun
    }

    /// Writes the first files of a run into its folder, whose chain is claimed.
    fn begin(
        claim: File,
        path: &Path,
        simulation: &Simulation,
        scene_file: &str,
        every: usize,
        format: TableFormat,
    ) -> Result<Self> {
        let scene = simulation.scene();
        let resolved = format!(
            "# As resolved by signorini {} from {scene_file:?}, seed {}.\n{}",
            env!("CARGO_PKG_VERSION"),
            scene.seed,
            scene::to_toml(scene)
        );
        let written = BackgroundWriter::start(
            Tables::create(path, scene, format)?,
            Chain::start(claim, path, &resolved)?,
        )?;
        let mut folder = Self::open(path, written, Summary::new(scene, scene_file, every));
        folder.tally = FlowTally::new(scene);
        folder.measures = Measures::create(path, simulation)?;
        folder.write(names::SCENE, &resolved)?;
        let mut rows = StepRows::new(0);
        rows.add_start(simulation)?;
        folder.written.push(rows)?;
        drop(folder.written.flushed()?);
        Ok(folder)
    }

    /// Makes the value with its files open and no step recorded.
    pub(super) fn open(path: &Path, written: BackgroundWriter, summary: Summary) -> Self {
        Self {
            path: path.to_owned(),
            written,
            every: summary.every,
            last_sampled: 0,
            tally: FlowTally::default(),
            measures: Measures::default(),
            resumed: None,
            checkpoint_slot: CheckpointSlot::default(),
            start: Instant::now(),
            last_check: Instant::now(),
            seconds_before: summary.wall_seconds,
            summary,
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Queues the rows of the step that `simulation` just took, and waits where too many are queued.
    ///
    /// # Errors
    /// When a file could not be written since the last call, or the folder no longer exists.
    pub fn record(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<()> {
        self.cut_to_checkpoint()?;
        self.check_periodically()?;
        let begin = Instant::now();
        let mut rows = StepRows::new(outcome.step);
        for record in simulation.flow() {
            self.tally.add(&port_event(simulation.scene(), record, outcome.step));
        }
        rows.add_flow(simulation)?;
        self.measures.observe(simulation)?;
        if outcome.step.is_multiple_of(self.every) {
            self.sample(simulation, &mut rows)?;
        }
        let (row, times) = (StepRow::of(simulation, outcome), TimeRow::new(outcome));
        self.summary.add(&row);
        self.summary.add_times(&times);
        rows.add_step(&row, &times)?;
        self.written.push(rows)?;
        self.summary.write_seconds += begin.elapsed().as_secs_f64();
        Ok(())
    }

    /// Writes the missing rows, which are the last step's bodies and contacts if they were thinned out, and
    /// the summary, which is returned. A step that was given up is no step of the run. The files of a run
    /// that was resumed and took no step stay unchanged.
    ///
    /// # Errors
    /// When a file cannot be written, or the folder no longer exists.
    pub fn finish(mut self, simulation: &Simulation, exit_reason: ExitReason) -> Result<Summary> {
        self.end(simulation, exit_reason)
    }

    /// As [`Self::finish`]; the folder stays locked as long as the value lives.
    ///
    /// # Errors
    /// As there.
    pub fn end(&mut self, simulation: &Simulation, exit_reason: ExitReason) -> Result<Summary> {
        self.summary.exit_reason = exit_reason;
        if simulation.step_index() == simulation.scene().n_steps() {
            // A resumed run may have had nothing left but the summary.
            self.cut_to_checkpoint()?;
        }
        if self.resumed.is_some() {
            return Ok(self.summary.clone());
        }
        self.check_in_place()?;
        let is_recorded = simulation.step_index() == self.summary.steps;
        if is_recorded && self.last_sampled < simulation.step_index() {
            let mut rows = StepRows::new(simulation.step_index());
            self.sample(simulation, &mut rows)?;
            self.written.push(rows)?;
        }
        if is_recorded {
            self.measures.finish(simulation)?;
        }
        let mut written = self.written.flushed()?;
        written.tables.finish()?;
        self.summary.chain = written.chain.link().text();
        drop(written);
        if let Some(backend) = simulation.backend() {
            self.summary.backend = "gpu".to_owned();
            self.summary.device = Some(DeviceSummary::new(backend));
        }
        self.summary.set_flow(FlowSummary::new(simulation.scene(), &self.tally));
        self.summary.wall_seconds = self.seconds();
        let text = self.summary.seal();
        self.write(names::SUMMARY, &text)?;
        Ok(self.summary.clone())
    }

    /// Wall time so far (s).
    pub(super) fn seconds(&self) -> f64 {
        self.seconds_before + self.start.elapsed().as_secs_f64()
    }

    /// Removes the rows after the checkpoint, before the first step of a resumed run is written.
    fn cut_to_checkpoint(&mut self) -> Result<()> {
        let Some(resumed) = self.resumed.take() else { return Ok(()) };
        remove_if_there(&self.path.join(names::SUMMARY))?;
        let mut written = self.written.flushed()?;
        let OutputFiles { tables, chain } = &mut *written;
        tables.cut()?;
        self.measures.cut()?;
        if let Some(scene) = resumed.scene {
            write_durably(&self.path.join(names::SCENE), &[scene.as_bytes()])?;
            chain.relink(&self.path, &scene, tables.texts()?)?;
        }
        chain.cut()
    }

    /// Checks now and then that the folder still exists: rows go into a file that was removed without an
    /// error.
    fn check_periodically(&mut self) -> Result<()> {
        if self.last_check.elapsed() < CHECK_INTERVAL {
            return Ok(());
        }
        self.last_check = Instant::now();
        self.check_in_place()
    }

    /// Fails where rows no longer go into the folder.
    fn check_in_place(&self) -> Result<()> {
        if self.written.files().chain.is_in(&self.path)? {
            return Ok(());
        }
        Err(Error::Usage {
            what: format!("output folder {}", self.path.display()),
            allowed: "was removed or replaced while the run was writing into it".to_owned(),
        })
    }

    fn sample(&mut self, simulation: &Simulation, rows: &mut StepRows) -> Result<()> {
        rows.add_sample(simulation)?;
        self.last_sampled = simulation.step_index();
        Ok(())
    }

    /// Writes a file in one piece: half a summary would say that the run is over, and could not be read.
    fn write(&self, name: &str, text: &str) -> Result<()> {
        write_durably(&self.path.join(name), &[text.as_bytes()])
    }
}

impl StepObserver for RunFolder {
    fn observe(&mut self, simulation: &Simulation, outcome: &StepOutcome) -> Result<ControlFlow<()>> {
        self.record(simulation, outcome)?;
        Ok(ControlFlow::Continue(()))
    }
}

/// Removes the files that [`RunFolder`], the plots and the writer of the page write, and no others.
fn remove_earlier_run(path: &Path) -> Result<()> {
    let mut files: Vec<PathBuf> = [
        names::CHECKPOINTS[0],
        names::CHECKPOINTS[1],
        names::SCENE,
        names::BODIES,
        names::CONTACTS,
        names::JOINTS,
        names::SUBSTEPS,
        names::STEPS,
        names::FLOW,
        names::HDF5,
        names::HDF5_NEW,
        names::TIMES,
        names::SUMMARY,
        names::PAGE,
    ]
    .map(|n| path.join(n))
    .into();
    if let Ok(entries) = fs::read_dir(path) {
        let is_measure = |name: &std::ffi::OsStr| name.to_str().is_some_and(names::is_measure);
        files.extend(entries.flatten().filter(|e| is_measure(&e.file_name())).map(|e| e.path()));
    }
    if let Ok(entries) = fs::read_dir(path.join(names::PLOTS)) {
        let figures = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "png" || e == "svg"));
        files.extend(figures);
    }
    files.iter().try_for_each(|file| remove_if_there(file))
}
