//! What is found about each run: rows of `compare.csv` and `over_time.csv`.

use super::model::Model;
use serde::Serialize;

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
    /// Largest violation of the exact friction law (the referee's, relative).
    pub friction_violation: f64,
    /// Largest violation of 0 ≤ p ⊥ gap ≥ 0 (the referee's, relative).
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

    /// A run of which no step is taken yet.
    pub(super) fn of(formulation: Model, step: f64, steps: usize) -> Self {
        Self {
            formulation,
            step,
            steps,
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
        }
    }
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
    /// As [`CompareRow::friction_violation`].
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
