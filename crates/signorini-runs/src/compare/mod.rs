//! One scene under several models and time steps, judged by one referee and compared with a reference run.

pub mod closed_form;
pub mod figures;
mod files;
mod model;
mod reference;
mod rows;
mod run;

pub use model::Model;
pub use rows::{CompareRow, Comparison, Trace};

use closed_form::ClosedForm;
use reference::Reference;
use run::run;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;
use signorini_scene::settings::{CompliantSettings, Formulation, ThetaScheme};

/// Step of the reference over the smallest step compared, unless the plan gives one.
const REFERENCE_STEP_FRACTION: f64 = 0.25;
/// Models and steps to compare.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Models.
    pub models: Vec<Model>,
    /// Time steps (s).
    pub time_steps: Vec<f64>,
    /// Time step of the reference run (s); None: a quarter of the smallest.
    pub reference_time_step: Option<f64>,
    /// Motions known exactly: the positions of their bodies, and of these only, are compared with them
    /// instead of the reference run.
    pub closed_forms: Vec<ClosedForm>,
}

impl Plan {
    /// Plans to compare models, each with some time steps (s), or with the scene's where there are none. What
    /// is named twice runs once.
    pub fn new(models: &[Model], time_steps: &[f64], scene: &Scene) -> Self {
        let time_steps = if time_steps.is_empty() { &[scene.time_step] } else { time_steps };
        Self {
            models: without_repeats(models),
            time_steps: without_repeats(time_steps),
            reference_time_step: None,
            closed_forms: Vec::new(),
        }
    }
}

fn without_repeats<T: PartialEq + Copy>(list: &[T]) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for item in list {
        if !found.contains(item) {
            found.push(*item);
        }
    }
    found
}

/// Runs every model with every step; `tell` gets a line before each run. None if `stops`, which is asked
/// after each step, returned true.
///
/// # Errors
/// When a step is not possible for the scene, or a model cannot run it; nothing has run then.
pub fn compare(
    scene: &Scene,
    plan: &Plan,
    mut tell: impl FnMut(&str),
    mut stops: impl FnMut() -> bool,
) -> Result<Option<Comparison>> {
    if !scene.inlets.is_empty() || !scene.outlets.is_empty() {
        return Err(Error::Usage {
            what: "compare with [[inlet]] or [[outlet]]".to_owned(),
            allowed: "it needs the same bodies at all times: leave them out".to_owned(),
        });
    }
    let smallest = plan.time_steps.iter().copied().fold(f64::INFINITY, f64::min);
    let reference_time_step = plan.reference_time_step.unwrap_or(REFERENCE_STEP_FRACTION * smallest);
    // Simulations that cannot run are reported before the first run.
    let mut runs = Vec::new();
    for &model in &plan.models {
        for &step in &plan.time_steps {
            runs.push(Simulation::new(with_time_step(scene, model, step)?)?);
        }
    }
    let reference_scene = reference_scene(scene, reference_time_step)?;
    let model = Model::of(&reference_scene);
    tell(&format!("reference: {} with h = {reference_time_step} s", model.as_str()));
    let reference = Reference::run(reference_scene, smallest, &plan.closed_forms, &mut stops)?;
    let Some(reference) = reference else { return Ok(None) };
    let mut found = Comparison {
        rows: Vec::new(),
        traces: Vec::new(),
        reference: model,
        reference_time_step,
        reference_drift: reference.drift(),
        reference_unsolved: reference.unsolved,
        reference_error: reference.own_error,
    };
    for simulation in runs {
        let scene = simulation.scene();
        tell(&format!("{} with h = {} s", Model::of(scene).as_str(), scene.time_step));
        let Some((row, trace)) = run(simulation, &reference, &mut stops) else { return Ok(None) };
        found.rows.push(row);
        found.traces.push(trace);
    }
    Ok(Some(found))
}

fn with_time_step(scene: &Scene, model: Model, step: f64) -> Result<Scene> {
    let mut scene = scene.clone();
    (scene.solver.formulation, scene.solver.integrator) = (model.formulation, model.integrator);
    scene.time_step = step;
    let steps = scene.duration / step;
    if step.is_nan() || step <= 0.0 || !(1.0..=1e9).contains(&steps) {
        return Err(Error::Usage {
            what: format!("time step {step} s"),
            allowed: format!("must be positive, at most the duration ({} s), and not tiny", scene.duration),
        });
    }
    Ok(scene)
}

/// Returns the scene of the reference: the implicit model with the scene's integrator, or, with springs, the
/// compliant one, of second order and as exact as possible.
fn reference_scene(scene: &Scene, step: f64) -> Result<Scene> {
    if scene.springs.is_empty() {
        let integrator = scene.solver.integrator;
        return with_time_step(scene, Model { formulation: Formulation::Implicit, integrator }, step);
    }
    let mut scene = with_time_step(scene, Formulation::Compliant.into(), step)?;
    scene.solver.compliant = CompliantSettings {
        scheme: ThetaScheme::Midpoint,
        theta: None,
        friction_regularization: scene.solver.compliant.friction_regularization.min(1e-6),
        ..scene.solver.compliant
    };
    Ok(scene)
}
