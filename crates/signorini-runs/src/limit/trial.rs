//! Trial: a run in memory at one value, which ends as soon as it is decided.

use super::criterion::Criterion;
use crate::output::digest::Value as Digest;
use serde::{Deserialize, Serialize};
use signorini::simulation::Simulation;
use signorini_error::Result;
use signorini_scene::scene::{self, Scene};

/// Outcome of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// Nothing met the criterion of collapse before the duration of the scene was over.
    Stands,
    /// Something did.
    Collapses,
}

impl TrialOutcome {
    /// Word of the outcome.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Collapses => "collapses",
        }
    }
}

/// Trial, a row of `trials.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Number of the trial, from 1.
    pub trial: usize,
    /// Value that was tried.
    pub value: f64,
    /// Outcome.
    pub outcome: TrialOutcome,
    /// Name of the body that came closest to the bound, or went beyond it.
    pub body: String,
    /// Largest way (m), speed (m/s) or acceleration (m/s²) of that body.
    pub reached: f64,
    /// That over the bound.
    pub over_bound: f64,
    /// Time at which the trial was decided (s).
    pub time: f64,
    /// Number of steps.
    pub steps: usize,
    /// Number of steps that are not solved.
    pub unsolved_steps: usize,
    /// Number of steps that the referee calls red.
    pub red_steps: usize,
    /// Digest of scene and criterion.
    pub digest: String,
}

impl Trial {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 11] = [
        "trial",
        "value",
        "outcome",
        "body",
        "reached",
        "over_bound",
        "time",
        "steps",
        "unsolved_steps",
        "red_steps",
        "digest",
    ];

    /// Whether the value collapses.
    pub fn collapses(&self) -> bool {
        self.outcome == TrialOutcome::Collapses
    }

    /// Whether all steps are solved and none is red.
    pub fn is_certain(&self) -> bool {
        self.unsolved_steps + self.red_steps == 0
    }
}

/// Digest of what decides a trial.
pub fn digest(scene: &Scene, criterion: &Criterion) -> String {
    // The criterion holds plain words and numbers: serialising cannot fail.
    let criterion = serde_json::to_string(criterion).unwrap_or_default();
    let how = format!("signorini {}\n{criterion}\n{}", env!("CARGO_PKG_VERSION"), scene::to_toml(scene));
    Digest::of(how.as_bytes()).to_string()
}

/// Runs a scene until it is decided; None if `stops` returned true before. The trial has no number yet.
///
/// # Errors
/// When the scene is not allowed, or lacks a body of the criterion.
pub fn run(
    scene: Scene,
    criterion: &Criterion,
    value: f64,
    stops: impl Fn() -> bool,
) -> Result<Option<Trial>> {
    let digest = digest(&scene, criterion);
    let mut watch = criterion.watch(&scene)?;
    let mut simulation = Simulation::new(scene)?;
    let n_steps = watch.last_step();
    let is_exact = simulation.scene().solver.formulation.is_exact();
    let (mut unsolved_steps, mut red_steps, mut collapsed) = (0, 0, false);
    while simulation.step_index() < n_steps && !collapsed {
        if stops() {
            return Ok(None);
        }
        let outcome = simulation.advance();
        if stops() && !outcome.info.status.is_solved() {
            return Ok(None);
        }
        unsolved_steps += usize::from(!outcome.info.status.is_solved());
        let is_red = outcome.verdict.is_some_and(|verdict| !verdict.green);
        red_steps += usize::from(is_red && is_exact);
        collapsed = watch.observe(simulation.step_index(), simulation.state());
    }
    let farthest = watch.farthest();
    Ok(Some(Trial {
        trial: 0,
        value,
        outcome: if collapsed { TrialOutcome::Collapses } else { TrialOutcome::Stands },
        body: simulation.scene().bodies[farthest.body].name.clone(),
        reached: farthest.value,
        over_bound: farthest.over_bound,
        time: simulation.time(),
        steps: simulation.step_index(),
        unsolved_steps,
        red_steps,
        digest,
    }))
}
