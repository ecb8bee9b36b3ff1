//! Runs of the bracket, kept as ordinary folders with the verdict of their audit.

use super::trial::Trial;
use crate::audit::{AuditOptions, audit};
use crate::output::{ExitReason, RunFolder, names};
use serde::{Deserialize, Serialize};
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use signorini_scene::checkpoint::write_durably;
use signorini_scene::scene::Scene;
use std::fs;
use std::path::Path;

/// Name of the record in the folder of a kept run.
const RECORD: &str = "trial.json";

/// A run of the bracket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptRun {
    /// Name of its folder.
    pub folder: String,
    /// Trial that it repeats.
    pub trial: Trial,
    /// Verdict of the audit of its files.
    pub audit: String,
    /// Whether the verdict is green.
    pub is_green: bool,
}

/// Runs a trial again into a folder below `out` and audits it; a run that is there already is left. A run
/// ends with the step in which the trial was decided. None if `stops` returned true before.
///
/// # Errors
/// When a file cannot be written, or another process writes into the folder.
pub fn keep(
    mut scene: Scene,
    trial: &Trial,
    (out, source): (&Path, &str),
    stops: impl Fn() -> bool,
) -> Result<Option<KeptRun>> {
    let name = trial.outcome.as_str();
    let folder = out.join(name);
    if let Some(kept) = read(&folder).filter(|kept| kept.trial.digest == trial.digest) {
        return Ok(Some(KeptRun { trial: trial.clone(), ..kept }));
    }
    // The record of another run is no more.
    let _ = fs::remove_file(folder.join(RECORD));
    if trial.steps < scene.n_steps() {
        scene.duration = trial.steps as f64 * scene.time_step;
    }
    let mut simulation = Simulation::new(scene)?;
    let mut run = RunFolder::create(&folder, &simulation, source, 1)?;
    while simulation.step_index() < simulation.scene().n_steps() {
        let outcome = simulation.advance();
        // A step that was given up is no step of the run, which the next search makes again.
        if stops() {
            return Ok(None);
        }
        run.record(&simulation, &outcome)?;
    }
    run.finish(&simulation, ExitReason::Completed)?;
    let report = audit(&folder, &AuditOptions::default())?;
    let kept = KeptRun {
        folder: name.to_owned(),
        trial: trial.clone(),
        audit: report.verdict().to_owned(),
        is_green: report.is_green(),
    };
    let text = serde_json::to_string_pretty(&kept).unwrap_or_default() + "\n";
    write_durably(&folder.join(RECORD), &[text.as_bytes()])?;
    Ok(Some(kept))
}

/// The record of a kept run, if the folder has it and the run.
fn read(folder: &Path) -> Option<KeptRun> {
    let has_run = folder.join(names::SUMMARY).is_file();
    let text = has_run.then(|| fs::read_to_string(folder.join(RECORD)).ok())??;
    serde_json::from_str(&text).ok()
}

/// Whether a folder may take a limit: it is vacant, holds one already, or `replace` is set.
///
/// # Errors
/// When it holds something else.
pub fn check_folder(out: &Path, table: &str, replace: bool) -> Result<()> {
    if out.join(table).is_file() {
        return Ok(());
    }
    RunFolder::check_vacant(out, replace).map_err(|error| match error {
        Error::Usage { what, .. } if out.is_dir() => {
            let allowed =
                "exists and holds no limit; choose another with --out or write into it with --force";
            Error::Usage { what, allowed: allowed.to_owned() }
        }
        other => other,
    })
}
