//! Checkpoints in the folder of a run: written in turn, and read again.

use super::background_writer::BackgroundWriter;
use super::chain::{Chain, ChainMark};
use super::checkpoint_slot::{CheckpointSlot, ResumedFolder};
use super::digest::Value;
use super::folder::RunFolder;
use super::measures::{MeasureMark, Measures};
use super::names;
use super::replay::replay;
use super::summary::Summary;
use super::tables::{TableMarks, Tables};
use serde::{Deserialize, Serialize};
use signorini::simulation::{SavedState, Simulation};
use signorini::step::FlowTally;
use signorini_error::{Error, Result, read_regular_text};
use signorini_scene::checkpoint::{self, Checkpoint};
use signorini_scene::scene::{self, LONGEST_FILE, LoadOptions, Overrides, Scene};
use std::fs;
use std::path::{Path, PathBuf};

/// State of the folder of a run that is needed to go on.
#[derive(Debug, Serialize, Deserialize)]
struct FolderMark {
    tables: TableMarks,
    chain: ChainMark,
    /// Digest of `scene.toml`, 64 hexadecimal digits.
    scene: String,
    /// Comment at the start of `scene.toml`.
    heading: String,
    last_sampled: usize,
    summary: Summary,
    tally: FlowTally,
    measures: Vec<MeasureMark>,
    plan: serde_json::Value,
}

/// A run resumed from a checkpoint.
#[derive(Debug)]
pub struct ResumedRun {
    /// Simulation at the checkpoint.
    pub simulation: Simulation,
    /// Folder of the run, which stays unchanged until the next step is written.
    pub folder: RunFolder,
    /// Plan that was given to [`RunFolder::set_plan`].
    pub plan: serde_json::Value,
    /// Notes for the user: checkpoints that were refused, and why.
    pub notes: Vec<String>,
}

impl RunFolder {
    /// Sets a plan of the caller, which checkpoints keep for a resumed run.
    pub fn set_plan(&mut self, plan: serde_json::Value) {
        self.checkpoint_slot.plan = plan;
    }

    /// Writes a checkpoint after the step that was recorded last, in the place of the older one of two. The
    /// tables are on the disk before.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_checkpoint(&mut self, simulation: &Simulation) -> Result<()> {
        self.write_saved(&simulation.save())
    }

    /// Number of steps recorded, those before the run was resumed included.
    pub fn n_recorded(&self) -> usize {
        self.summary.steps
    }

    /// Writes a checkpoint of a state that was saved after the step that was recorded last.
    pub fn write_saved(&mut self, saved: &SavedState) -> Result<()> {
        if self.resumed.is_some() {
            return Ok(());
        }
        if saved.step() != self.n_recorded() {
            return Err(Error::Usage {
                what: format!("checkpoint after step {}", saved.step()),
                allowed: format!("the last step that was recorded is {}", self.n_recorded()),
            });
        }
        let mut written = self.written.flushed()?;
        written.tables.sync()?;
        written.chain.sync()?;
        self.measures.sync()?;
        let path = self.path().join(names::SCENE);
        let scene = fs::read_to_string(&path).map_err(|source| Error::Io { path, source })?;
        let mut summary = self.summary.clone();
        summary.wall_seconds = self.seconds();
        let mark = FolderMark {
            tables: written.tables.marks()?,
            chain: written.chain.mark(),
            scene: Value::of(scene.as_bytes()).to_string(),
            heading: heading(&scene).to_owned(),
            last_sampled: self.last_sampled,
            summary,
            tally: self.tally.clone(),
            measures: self.measures.marks(),
            plan: self.checkpoint_slot.plan.clone(),
        };
        drop(written);
        let path = self.path().join(self.checkpoint_slot.name());
        saved.to_checkpoint(checkpoint::encode(&mark)?)?.write(&path)?;
        self.checkpoint_slot.pass();
        Ok(())
    }

    /// Resumes the run in a folder from its newest checkpoint that is whole and fits the tables, to go on to
    /// another duration (s) if one is given. Nothing in the folder changes before the next step is written.
    ///
    /// # Errors
    /// When the folder has no such checkpoint, another run is writing into it, or the duration is not allowed
    /// or over already.
    pub fn resume(path: &Path, duration: Option<f64>) -> Result<ResumedRun> {
        let mut found: Vec<(usize, Checkpoint)> = Vec::new();
        let mut refused = Vec::new();
        for (at, name) in names::CHECKPOINTS.iter().enumerate() {
            match Checkpoint::read(&path.join(name)) {
                Ok(checkpoint) => found.push((at, checkpoint)),
                Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => refused.push(error),
            }
        }
        if found.is_empty() && refused.is_empty() {
            let what = format!("folder {}", path.display());
            let allowed = "has no checkpoint to go on from: it is no run, or was stopped before its first";
            return Err(Error::Usage { what, allowed: allowed.to_owned() });
        }
        found.sort_by_key(|(_, checkpoint)| std::cmp::Reverse(checkpoint.head.step));
        for (at, checkpoint) in found {
            let name = path.join(names::CHECKPOINTS[at]);
            match resume_from(path, &name, &checkpoint, duration) {
                Ok(mut run) => {
                    run.folder.checkpoint_slot = CheckpointSlot::after(at, run.plan.clone());
                    run.notes.extend(refused.iter().map(ToString::to_string));
                    return Ok(run);
                }
                Err(Refusal::Checkpoint(error)) => refused.push(error),
                Err(Refusal::Request(error)) => return Err(error),
            }
        }
        Err(Error::all(refused))
    }
}

/// Reason why a run was not resumed from a checkpoint.
enum Refusal {
    /// Fault of the checkpoint; another one may work.
    Checkpoint(Error),
    /// Fault of the request, with any checkpoint.
    Request(Error),
}

fn resume_from(
    folder: &Path,
    name: &Path,
    checkpoint: &Checkpoint,
    duration: Option<f64>,
) -> std::result::Result<ResumedRun, Refusal> {
    let wrong = |message: String| Refusal::Checkpoint(Error::Parse { file: name.to_owned(), message });
    let unfit = |error: Error| wrong(format!("does not fit the run: {error}"));
    let mark: FolderMark = checkpoint::decode(&checkpoint.folder).map_err(wrong)?;
    let claim = Chain::claim(folder).map_err(Refusal::Request)?;
    let file = SceneOnDisk::read(folder, &mark.heading).map_err(Refusal::Request)?;
    let load = |duration| file.load(duration).map_err(Refusal::Request);
    let asked = match duration {
        Some(_) => load(duration)?,
        None => load(None)?,
    };
    // The bodies are those of the start.
    let start = asked.clone();
    let mut notes = Vec::new();
    let (simulation, text) = match SavedState::of_checkpoint(checkpoint) {
        Ok(mut saved) => {
            let is_same = Value::of(file.text.as_bytes()).to_string() == mark.scene;
            if !is_same {
                // The text is that of the scene at the start: bodies may have come and left since.
                let then = file.of(&load(Some(saved.scene().duration))?);
                let is_ours = Value::of(then.as_bytes()).to_string() == mark.scene;
                if !is_ours || file.of(&load(None)?) != file.text {
                    let scene = file.path.display();
                    return Err(wrong(format!(
                        "is of another scene than {scene}, or that was changed since"
                    )));
                }
            }
            saved.set_duration(asked.duration);
            let text = file.of(&asked);
            (Simulation::from_saved(saved).map_err(unfit)?, text)
        }
        Err(why) => {
            notes.push(format!("{}: {why}; contacts are met as if for the first time", name.display()));
            let text = if duration.is_some() { file.of(&asked) } else { file.text.clone() };
            (Simulation::at(asked, &checkpoint.head).map_err(unfit)?, text)
        }
    };
    check_end(folder, &simulation, duration).map_err(Refusal::Request)?;
    let changes = Value::of(text.as_bytes()).to_string() != mark.scene;
    let chain = Chain::go_on(claim, folder, &mark.chain, changes).map_err(unfit)?;
    let tables = match &mark.tables.waiting {
        None => Tables::open(folder, simulation.scene(), &mark.tables),
        Some(waiting) => replay(folder, &start, &mark.tables, waiting),
    };
    let tables = tables.map_err(unfit)?;
    let written = BackgroundWriter::start(tables, chain).map_err(Refusal::Request)?;
    let measures = Measures::open(folder, &simulation, mark.measures).map_err(unfit)?;
    let summary = Summary { planned_steps: simulation.scene().n_steps(), ..mark.summary };
    let mut run = RunFolder::open(folder, written, summary);
    run.last_sampled = mark.last_sampled;
    run.tally = mark.tally;
    run.measures = measures;
    run.resumed = Some(ResumedFolder { scene: changes.then_some(text) });
    Ok(ResumedRun { simulation, folder: run, plan: mark.plan, notes })
}

/// Checks that a step is left, or a summary to write: a run may be killed between its last checkpoint and its
/// summary.
fn check_end(folder: &Path, simulation: &Simulation, duration: Option<f64>) -> Result<()> {
    let left = simulation.scene().n_steps().checked_sub(simulation.step_index());
    let has_summary = folder.join(names::SUMMARY).exists();
    if left.is_some_and(|left| left > 0 || !has_summary) {
        return Ok(());
    }
    let (time, end) = (simulation.time(), simulation.scene().duration);
    Err(Error::Usage {
        what: duration.map_or_else(|| "resume".to_owned(), |duration| format!("--duration {duration}")),
        allowed: format!("the run is at {time} s of {end} s: it goes on with a longer --duration"),
    })
}

/// Returns the comment at the start of a resolved scene.
fn heading(scene: &str) -> &str {
    scene.split_inclusive('\n').next().filter(|line| line.starts_with('#')).unwrap_or_default()
}

/// The file `scene.toml` of a run.
struct SceneOnDisk<'a> {
    path: PathBuf,
    text: String,
    /// Comment that the run wrote at its start.
    heading: &'a str,
}

impl<'a> SceneOnDisk<'a> {
    fn read(folder: &Path, heading: &'a str) -> Result<Self> {
        let path = folder.join(names::SCENE);
        let text = read_regular_text(&path, LONGEST_FILE)?;
        Ok(Self { path, text, heading })
    }

    /// Loads the scene of the file, with another duration (s) if one is given.
    fn load(&self, duration: Option<f64>) -> Result<Scene> {
        let overrides = Overrides { duration, ..Overrides::default() };
        let options = LoadOptions { overrides, ..LoadOptions::default() };
        Ok(scene::parse(&self.text, &self.path, &options)?.scene)
    }

    /// Returns the text for another scene.
    fn of(&self, scene: &Scene) -> String {
        format!("{}{}", self.heading, scene::to_toml(scene))
    }
}
