//! Run of a case.

use super::case::{Case, CaseRecord, CaseState, Outcome, RECORD};
use super::plan::Plan;
use crate::output::digest::Value as Digest;
use crate::output::{ExitReason, ResumedRun, RunFolder, Summary, names};
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use signorini_scene::scene::{self, LoadOptions};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Runs a case into its folder, unless the case is finished. A case that was stopped goes on from its
/// checkpoint of the same scene, if it left one. Checkpoints are written each `period`, if one is given. A
/// scene that is not allowed and steps that are not solved are outcomes, not errors.
///
/// # Errors
/// When a file cannot be written; the case is not finished then.
pub fn run(plan: &Plan, case: &Case, out: &Path, period: Option<Duration>) -> Result<CaseState> {
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
    if RunFolder::check_vacant(&folder, true).is_err() {
        return Ok(CaseState::Busy);
    }
    // After the lock: a process that ran the case has left its record before it let the folder go.
    if let Some(record) = case.record(out).filter(|record| record.digest == digest) {
        return Ok(CaseState::Found(record));
    }
    fs::create_dir_all(&folder).map_err(|source| Error::Io { path: folder.clone(), source })?;
    // A running case is not finished: an old record is removed.
    let _ = fs::remove_file(folder.join(RECORD));
    let (mut from, mut locked) = (0, None);
    let (outcome, message) = match scene.and_then(Simulation::new) {
        Ok(simulation) => {
            let (simulation, run) = match stopped(&folder, &digest) {
                Some(ResumedRun { simulation, folder, .. }) => (simulation, folder),
                None => {
                    let name = plan.scene.display().to_string();
                    let mut run = RunFolder::create(&folder, &simulation, &name, plan.every)?;
                    run.set_plan(digest.clone().into());
                    (simulation, run)
                }
            };
            from = simulation.step_index();
            simulate(simulation, locked.insert(run), &folder, period)?
        }
        Err(error) => (Outcome::Refused, error.to_string()),
    };
    let record = CaseRecord { case: case.number, values: case.texts(), digest, outcome, message };
    record.write(&folder)?;
    drop(locked);
    Ok(CaseState::Done { record, from })
}

/// Opens the stopped run of the same scene in a folder, if it can go on bit for bit.
fn stopped(folder: &Path, digest: &str) -> Option<ResumedRun> {
    let run = RunFolder::resume(folder, None).ok()?;
    (run.plan == digest && run.notes.is_empty()).then_some(run)
}

/// Runs a case to its end.
fn simulate(
    mut simulation: Simulation,
    run: &mut RunFolder,
    folder: &Path,
    period: Option<Duration>,
) -> Result<(Outcome, String)> {
    let n_steps = simulation.scene().n_steps();
    let mut last = Instant::now();
    while simulation.step_index() < n_steps {
        let outcome = simulation.advance();
        run.record(&simulation, &outcome)?;
        if period.is_some_and(|period| last.elapsed() >= period) {
            run.write_checkpoint(&simulation)?;
            last = Instant::now();
        }
    }
    let summary = run.end(&simulation, ExitReason::Completed)?;
    // A finished case needs no checkpoint.
    for name in names::CHECKPOINTS {
        let _ = fs::remove_file(folder.join(name));
    }
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

/// Removes lines and columns from an error: they refer to a generated text that no user sees.
pub fn without_place(error: Error) -> Error {
    match error {
        Error::Field { file, field, value, allowed, .. } => {
            Error::Field { file, at: None, field, value, allowed }
        }
        Error::Many(errors) => Error::Many(errors.into_iter().map(without_place).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::chain::is_growing;
    use std::thread;

    const SCENE: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 2\n[[body]]\nname = \"ball\"\n\
                         density = 1000\nshape = { type = \"sphere\", radius = 0.1 }\n";
    const PLAN: &str =
        "format = 1\nscene = \"scene.toml\"\n[[vary]]\nfield = \"simulation.seed\"\nvalues = [1]\n";

    /// No one finds the folder of a case unlocked before its record is there, and runs the case again.
    #[test]
    fn a_case_is_locked_until_its_record_is_written() {
        for _ in 0..20 {
            let out = tempfile::tempdir().expect("a folder");
            let path = |name: &str| out.path().join(name);
            fs::write(path("scene.toml"), SCENE).expect("written");
            fs::write(path("plan.toml"), PLAN).expect("written");
            let plan = Plan::read(&path("plan.toml")).expect("a plan");
            let case = plan.case(1);
            thread::scope(|scope| {
                scope.spawn(|| run(&plan, &case, out.path(), None).expect("a case"));
                let folder = case.folder(out.path());
                // Looking at the lock before it is taken would be in its way.
                while !folder.join(names::STEPS).exists() {
                    thread::yield_now();
                }
                while is_growing(&folder) {}
                assert!(case.record(out.path()).is_some(), "unlocked without a record");
            });
        }
    }
}
