//! One scene under several models and time steps, judged by the same referee and compared with a reference
//! run.

pub mod closed_form;

use crate::error::{Error, Result};
use crate::scene::{Scene, State, energy};
use crate::settings::{CompliantSettings, Formulation, Integrator, Scheme};
use crate::simulation::{Simulation, StepOutcome};
use closed_form::ClosedForm;
use nalgebra::Vector3;
use serde::{Serialize, Serializer};

/// The reference's step over the smallest step compared, unless it is given.
const REFERENCE_PART: f64 = 0.25;
/// Positions of the reference kept at most.
const MOST_POSITIONS: usize = 20_000_000;

/// A way to take a step: a formulation and its integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Formulation.
    pub formulation: Formulation,
    /// Integrator; only the implicit formulation has another one than implicit Euler.
    pub integrator: Integrator,
}

impl Model {
    /// The implicit formulation under the staggered integrator.
    pub const STAGGERED: Model =
        Model { formulation: Formulation::Implicit, integrator: Integrator::Staggered };

    /// The word on the command line and in `compare.csv`: that of the formulation, or `staggered`.
    pub fn as_str(self) -> &'static str {
        match self.integrator {
            Integrator::ImplicitEuler => self.formulation.as_str(),
            Integrator::Staggered => "staggered",
        }
    }
}

impl From<Formulation> for Model {
    fn from(formulation: Formulation) -> Self {
        Self { formulation, integrator: Integrator::ImplicitEuler }
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// What to compare.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The models.
    pub models: Vec<Model>,
    /// The time steps (s).
    pub steps: Vec<f64>,
    /// Step of the reference run (s); None: a quarter of the smallest.
    pub reference_step: Option<f64>,
    /// Motions known exactly: positions are compared with these, of these bodies only, instead of the
    /// reference run.
    pub closed_forms: Vec<ClosedForm>,
}

/// One run in numbers; a row of `compare.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompareRow {
    /// Model.
    pub formulation: Model,
    /// Time step h (s).
    pub step: f64,
    /// Steps taken.
    pub steps: usize,
    /// Steps above the tolerance of the model's own equations.
    pub unsolved_steps: usize,
    /// Steps that the referee calls red.
    pub red_steps: usize,
    /// Largest distance of a body from where the reference run, or the closed form, has it, over all times
    /// (m).
    pub position_error: f64,
    /// The same at the end (m).
    pub final_position_error: f64,
    /// Deepest overlap of any pair (m).
    pub penetration: f64,
    /// Largest violation of the exact friction law (the referee's, in units of p_ref).
    pub friction_violation: f64,
    /// Largest violation of 0 ≤ p ⊥ gap ≥ 0 (the referee's, in units of p_ref).
    pub complementarity_violation: f64,
    /// Largest difference of kinetic and potential energy from the reference (J).
    pub energy_error: f64,
    /// The same at the end (J).
    pub final_energy_error: f64,
    /// Energy at the end minus that at the start (J).
    pub energy_change: f64,
    /// Length of the mean velocity of the moving bodies' common centre of mass over the second half of the
    /// run (m/s).
    pub transport_speed: f64,
    /// Solver time per step (s).
    pub seconds_per_step: f64,
    /// Iterations per step.
    pub iterations_per_step: f64,
    /// Largest residual of the model's own equations.
    pub worst_residual: f64,
}

impl CompareRow {
    /// Header of `compare.csv`.
    pub const COLUMNS: [&'static str; 17] = [
        "formulation",
        "step",
        "steps",
        "unsolved_steps",
        "red_steps",
        "position_error",
        "final_position_error",
        "penetration",
        "friction_violation",
        "complementarity_violation",
        "energy_error",
        "final_energy_error",
        "energy_change",
        "transport_speed",
        "seconds_per_step",
        "iterations_per_step",
        "worst_residual",
    ];
}

/// One step of a run; with model and step length a row of `over_time.csv`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// Time at its end (s).
    pub time: f64,
    /// As [`CompareRow::position_error`] (m).
    pub position_error: f64,
    /// As [`CompareRow::penetration`] (m).
    pub penetration: f64,
    /// As [`CompareRow::friction_violation`] (p_ref).
    pub friction_violation: f64,
    /// As [`CompareRow::energy_error`] (J).
    pub energy_error: f64,
    /// Kinetic and potential energy minus that at the start (J).
    pub energy_drift: f64,
}

/// One run over time.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// One per step.
    pub points: Vec<TracePoint>,
}

impl Trace {
    /// Header of `over_time.csv`.
    pub const COLUMNS: [&'static str; 8] = [
        "formulation",
        "step",
        "time",
        "position_error",
        "penetration",
        "friction_violation",
        "energy_error",
        "energy_drift",
    ];
}

/// All runs.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// In the order of the plan: by model, then by step.
    pub rows: Vec<CompareRow>,
    /// Belonging to `rows`.
    pub traces: Vec<Trace>,
    /// Model of the reference.
    pub reference: Model,
    /// Step of the reference (s).
    pub reference_step: f64,
    /// (t, energy minus that at the start) of the reference, where it is kept (s, J).
    pub reference_drift: Vec<(f64, f64)>,
    /// Steps of the reference above its tolerance: with any, errors are not to be trusted.
    pub reference_unsolved: usize,
    /// Largest and final position error of the reference run itself (m), where there is a closed form.
    pub reference_error: Option<[f64; 2]>,
}

impl Comparison {
    /// The reference run in words.
    pub fn described(&self) -> String {
        format!("{} with h = {} s", self.reference.as_str(), self.reference_step)
    }
}

/// Positions and energy of the reference, on a grid of times.
struct Reference<'a> {
    closed_forms: &'a [ClosedForm],
    own_error: Option<[f64; 2]>,
    spacing: f64,
    positions: Vec<Vec<Vector3<f64>>>,
    energies: Vec<f64>,
    unsolved: usize,
}

/// Runs everything; `tell` hears what comes next.
///
/// # Errors
/// When a step is not possible for the scene, or a model cannot run it; nothing has run then.
pub fn compare(scene: &Scene, plan: &Plan, mut tell: impl FnMut(&str)) -> Result<Comparison> {
    let smallest = plan.steps.iter().copied().fold(f64::INFINITY, f64::min);
    let reference_step = plan.reference_step.unwrap_or(REFERENCE_PART * smallest);
    // What cannot run is told before the first run.
    let mut runs = Vec::new();
    for &model in &plan.models {
        for &step in &plan.steps {
            runs.push(Simulation::new(with_step(scene, model, step)?)?);
        }
    }
    let reference_scene = reference_scene(scene, reference_step)?;
    let model = model_of(&reference_scene);
    tell(&format!("reference: {} with h = {reference_step} s", model.as_str()));
    let reference = Reference::run(reference_scene, smallest, &plan.closed_forms)?;
    let mut found = Comparison {
        rows: Vec::new(),
        traces: Vec::new(),
        reference: model,
        reference_step,
        reference_drift: reference.drift(),
        reference_unsolved: reference.unsolved,
        reference_error: reference.own_error,
    };
    for simulation in runs {
        let scene = simulation.scene();
        tell(&format!("{} with h = {} s", model_of(scene).as_str(), scene.time_step));
        let (row, trace) = run(simulation, &reference);
        found.rows.push(row);
        found.traces.push(trace);
    }
    Ok(found)
}

fn model_of(scene: &Scene) -> Model {
    Model { formulation: scene.solver.formulation, integrator: scene.solver.integrator }
}

fn with_step(scene: &Scene, model: Model, step: f64) -> Result<Scene> {
    let mut scene = scene.clone();
    (scene.solver.formulation, scene.solver.integrator) = (model.formulation, model.integrator);
    scene.time_step = step;
    let steps = scene.duration / step;
    if step.is_nan() || step <= 0.0 || !(1.0..=1e9).contains(&steps) {
        return Err(Error::Usage {
            what: format!("step {step} s"),
            allowed: format!("must be positive, at most the duration ({} s), and not tiny", scene.duration),
        });
    }
    Ok(scene)
}

/// The implicit model with the scene's integrator; where there are springs the compliant one, of second order
/// and as exact as it gets.
fn reference_scene(scene: &Scene, step: f64) -> Result<Scene> {
    if scene.springs.is_empty() {
        let integrator = scene.solver.integrator;
        return with_step(scene, Model { formulation: Formulation::Implicit, integrator }, step);
    }
    let mut scene = with_step(scene, Formulation::Compliant.into(), step)?;
    scene.solver.compliant = CompliantSettings {
        scheme: Scheme::Midpoint,
        theta: None,
        friction_regularization: scene.solver.compliant.friction_regularization.min(1e-6),
        ..scene.solver.compliant
    };
    Ok(scene)
}

fn energy(outcome: &StepOutcome) -> f64 {
    outcome.verdict.map_or(f64::NAN, |v| v.kinetic_energy + v.potential_energy)
}

/// Of a state, as [`energy`] has it of an outcome.
fn energy_of(scene: &Scene, state: &State) -> f64 {
    energy::kinetic(scene, state) + energy::potential(scene, state)
}

fn positions(state: &State) -> Vec<Vector3<f64>> {
    state.poses.iter().map(|p| p.position).collect()
}

impl<'a> Reference<'a> {
    /// Keeps every state at a multiple of `spacing`, which is a multiple of the step up to rounding.
    fn run(scene: Scene, spacing: f64, closed_forms: &'a [ClosedForm]) -> Result<Self> {
        let stride = (spacing / scene.time_step).round().max(1.0) as usize;
        let (n_steps, n_bodies) = (scene.n_steps(), scene.bodies.len());
        let kept = n_steps / stride * n_bodies;
        if kept > MOST_POSITIONS {
            return Err(Error::Usage {
                what: format!("a reference of {kept} positions"),
                allowed: format!("at most {MOST_POSITIONS}; take larger steps or a shorter run"),
            });
        }
        let spacing = stride as f64 * scene.time_step;
        let mut simulation = Simulation::new(scene)?;
        let mut found = Self {
            closed_forms,
            own_error: (!closed_forms.is_empty()).then_some([0.0; 2]),
            spacing,
            positions: vec![positions(simulation.state())],
            energies: vec![energy_of(simulation.scene(), simulation.state())],
            unsolved: 0,
        };
        for _ in 0..n_steps {
            let outcome = simulation.advance();
            found.unsolved += usize::from(!outcome.info.status.is_solved());
            if let Some([largest, last]) = &mut found.own_error {
                *last = ClosedForm::error(closed_forms, simulation.state(), outcome.time);
                *largest = largest.max(*last);
            }
            if outcome.step.is_multiple_of(stride) {
                found.positions.push(positions(simulation.state()));
                found.energies.push(energy(&outcome));
            }
        }
        Ok(found)
    }

    /// Grid cell and place in it of a time; a time on the grid is exactly there.
    fn place(&self, time: f64) -> (usize, f64) {
        let place = time / self.spacing;
        let nearest = place.round();
        let place = if (place - nearest).abs() < 1e-6 { nearest } else { place };
        let cell = (place.floor() as usize).min(self.positions.len().saturating_sub(2));
        (cell, place - cell as f64)
    }

    fn position_error(&self, scene: &Scene, state: &State, time: f64) -> f64 {
        if !self.closed_forms.is_empty() {
            return ClosedForm::error(self.closed_forms, state, time);
        }
        let (cell, part) = self.place(time);
        let Some(next) = self.positions.get(cell + 1) else { return f64::NAN };
        let moving = scene.bodies.iter().enumerate().filter(|(_, b)| !b.fixed);
        moving.fold(0.0, |largest, (i, _)| {
            let there = self.positions[cell][i] * (1.0 - part) + next[i] * part;
            f64::max(largest, (state.poses[i].position - there).norm())
        })
    }

    fn drift(&self) -> Vec<(f64, f64)> {
        let at = |(i, e): (usize, &f64)| (i as f64 * self.spacing, e - self.energies[0]);
        self.energies.iter().enumerate().map(at).collect()
    }

    fn energy(&self, time: f64) -> f64 {
        let (cell, part) = self.place(time);
        let next = self.energies.get(cell + 1).copied().unwrap_or(f64::NAN);
        self.energies[cell] * (1.0 - part) + next * part
    }
}

fn run(mut simulation: Simulation, reference: &Reference<'_>) -> (CompareRow, Trace) {
    let scene = simulation.scene().clone();
    let n_steps = scene.n_steps();
    let mut row = CompareRow {
        formulation: model_of(&scene),
        step: scene.time_step,
        steps: n_steps,
        unsolved_steps: 0,
        red_steps: 0,
        position_error: 0.0,
        final_position_error: 0.0,
        penetration: 0.0,
        friction_violation: 0.0,
        complementarity_violation: 0.0,
        energy_error: 0.0,
        final_energy_error: 0.0,
        energy_change: 0.0,
        transport_speed: 0.0,
        seconds_per_step: 0.0,
        iterations_per_step: 0.0,
        worst_residual: 0.0,
    };
    let start_energy = energy_of(&scene, simulation.state());
    let mut trace = Trace::default();
    let (half, mut middle) = (n_steps / 2, centre_of_mass(&scene, simulation.state()));
    for _ in 0..n_steps {
        let outcome = simulation.advance();
        if outcome.step == half {
            middle = centre_of_mass(&scene, simulation.state());
        }
        let Some(verdict) = outcome.verdict else { continue };
        let position = reference.position_error(&scene, simulation.state(), outcome.time);
        let overlap = if verdict.min_gap.is_finite() { (-verdict.min_gap).max(0.0) } else { 0.0 };
        let energy_now = energy(&outcome);
        let energy_error = (energy_now - reference.energy(outcome.time)).abs();
        row.unsolved_steps += usize::from(!outcome.info.status.is_solved());
        row.red_steps += usize::from(!verdict.green);
        for (largest, value) in [
            (&mut row.position_error, position),
            (&mut row.penetration, overlap),
            (&mut row.friction_violation, verdict.friction),
            (&mut row.complementarity_violation, verdict.complementarity),
            (&mut row.energy_error, energy_error),
            (&mut row.worst_residual, outcome.info.residual.max()),
        ] {
            // A NaN is the worst of all and stays.
            if value > *largest || value.is_nan() {
                *largest = value;
            }
        }
        row.final_position_error = position;
        row.final_energy_error = energy_error;
        row.energy_change = energy_now - start_energy;
        row.seconds_per_step += outcome.solve_time.as_secs_f64() / n_steps as f64;
        row.iterations_per_step += outcome.info.iterations as f64 / n_steps as f64;
        trace.points.push(TracePoint {
            time: outcome.time,
            position_error: position,
            penetration: overlap,
            friction_violation: verdict.friction,
            energy_error,
            energy_drift: energy_now - start_energy,
        });
    }
    let moved = centre_of_mass(&scene, simulation.state()) - middle;
    row.transport_speed = moved.norm() / ((n_steps - half) as f64 * scene.time_step);
    (row, trace)
}

/// That of the moving bodies together (m).
fn centre_of_mass(scene: &Scene, state: &State) -> Vector3<f64> {
    let moving = || scene.bodies.iter().zip(&state.poses).filter(|(body, _)| !body.fixed);
    let mass: f64 = moving().map(|(body, _)| body.mass).sum();
    moving().map(|(body, pose)| pose.position * (body.mass / mass)).sum()
}
