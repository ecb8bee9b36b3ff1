//! The run of a case.

use super::case::{Case, CaseRecord, CaseState, Outcome, RECORD};
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::output::digest::Value as Digest;
use crate::output::{ExitReason, RunFolder, Summary};
use crate::scene::{self, LoadOptions};
use crate::simulation::Simulation;
use std::fs;
use std::path::Path;

/// Runs the case into its folder, unless it is finished. A scene that is not allowed and steps that are not
/// solved are outcomes.
///
/// # Errors
/// When a file cannot be written; the case is not finished then.
pub fn run(plan: &Plan, case: &Case, out: &Path) -> Result<CaseState> {
    let folder = case.folder(out);
    let scene = plan.scene_of(case).and_then(|text| {
        let loaded = scene::parse(&text, &plan.scene, &LoadOptions::default());
        loaded.map(|loaded| loaded.scene).map_err(without_place)
    });
    let text = match &scene {
        Ok(scene) => scene::to_toml(scene),
        Err(error) => error.to_string(),
    };
    let how = format!("signorini {}, every {}\n{text}", env!("CARGO_PKG_VERSION"), plan.every);
    let digest = Digest::of(how.as_bytes()).to_string();
    if let Some(record) = case.record(out).filter(|record| record.digest == digest) {
        return Ok(CaseState::Found(record));
    }
    if RunFolder::check_vacant(&folder, true).is_err() {
        return Ok(CaseState::Busy);
    }
    fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
    // While it runs, it is not finished.
    let _ = fs::remove_file(folder.join(RECORD));
    let (outcome, message) = match scene.and_then(Simulation::new) {
        Ok(simulation) => simulate(simulation, plan, &folder)?,
        Err(error) => (Outcome::Refused, error.to_string()),
    };
    let record = CaseRecord { case: case.number, values: case.texts(), digest, outcome, message };
    record.write(&folder)?;
    Ok(CaseState::Done(record))
}

/// Runs a case to its end.
fn simulate(mut simulation: Simulation, plan: &Plan, folder: &Path) -> Result<(Outcome, String)> {
    let n_steps = simulation.scene().n_steps();
    let mut run = RunFolder::create(folder, &simulation, &plan.scene.display().to_string(), plan.every)?;
    while simulation.step_index() < n_steps {
        let outcome = simulation.advance();
        run.record(&simulation, &outcome)?;
    }
    let summary = run.finish(&simulation, ExitReason::Completed)?;
    Ok(outcome_of(&summary))
}

fn outcome_of(summary: &Summary) -> (Outcome, String) {
    let red = if summary.formulation.is_exact() { summary.referee.red } else { 0 };
    if summary.unsolved_steps == 0 && red == 0 {
        return (Outcome::Completed, String::new());
    }
    let message = format!("{} of {} steps unsolved, {red} red", summary.unsolved_steps, summary.steps);
    (Outcome::Unsolved, message)
}

/// Lines and columns of a text that nobody wrote mean nothing.
fn without_place(error: Error) -> Error {
    match error {
        Error::Field { file, field, value, allowed, .. } => {
            Error::Field { file, at: None, field, value, allowed }
        }
        Error::Many(errors) => Error::Many(errors.into_iter().map(without_place).collect()),
        other => other,
    }
}
