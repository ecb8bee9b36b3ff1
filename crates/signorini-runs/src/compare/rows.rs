//! Results of each run: rows of `compare.csv` and `over_time.csv`.

use super::model::Model;
use serde::Serialize;

/// Numbers of one run; a row of `compare.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompareRow {
    /// Model of the run.
    pub formulation: Model,
    /// Time step h (s).
    pub time_step: f64,
    /// Number of steps taken.
    pub steps: usize,
    /// Number of steps above the tolerance of the model's own equations.
    pub unsolved_steps: usize,
    /// Number of steps that the referee calls red.
    pub red_steps: usize,
    /// Largest distance of a body from its position in the reference run, or the closed form, over all times
    /// (m).
    pub position_error: f64,
    /// Largest distance of a body from its position in the reference run, or the closed form, at the end (m).
    pub final_position_error: f64,
    /// Deepest overlap of any pair (m).
    pub penetration: f64,
    /// Largest violation of the exact friction law (the referee's, relative).
    pub friction_violation: f64,
    /// Largest violation of 0 ≤ p ⊥ gap ≥ 0 (the referee's, relative).
    pub complementarity_violation: f64,
    /// Largest difference of kinetic and potential energy from the reference (J).
    pub energy_error: f64,
    /// Difference of kinetic and potential energy from the reference at the end (J).
    pub final_energy_error: f64,
    /// Energy at the end minus that at the start (J).
    pub energy_change: f64,
    /// Length of the mean velocity of the moving bodies' common centre of mass over the second half of the
    /// run (m/s).
    pub transport_speed: f64,
    /// Solver time per step (s).
    pub seconds_per_step: f64,
    /// Iterations per step, mean.
    pub iterations_per_step: f64,
    /// Largest residual of the model's own equations.
    pub worst_residual: f64,
}

impl CompareRow {
    /// Header of `compare.csv`.
    pub const COLUMNS: [&'static str; 17] = [
        "formulation",
        "time_step",
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

    /// Makes the row of a run of which no step is taken yet.
    pub(super) fn of(formulation: Model, time_step: f64, steps: usize) -> Self {
        Self {
            formulation,
            time_step,
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

/// Numbers of one step of a run; with model and time step a row of `over_time.csv`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracePoint {
    /// Time at the end of the step (s).
    pub time: f64,
    /// Position error as in [`CompareRow::position_error`] (m).
    pub position_error: f64,
    /// Penetration as in [`CompareRow::penetration`] (m).
    pub penetration: f64,
    /// Friction violation as in [`CompareRow::friction_violation`].
    pub friction_violation: f64,
    /// Energy error as in [`CompareRow::energy_error`] (J).
    pub energy_error: f64,
    /// Kinetic and potential energy minus that at the start (J).
    pub energy_drift: f64,
}

/// Errors of one run over time.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Points of the trace, one per step.
    pub points: Vec<TracePoint>,
}

impl Trace {
    /// Header of `over_time.csv`.
    pub const COLUMNS: [&'static str; 8] = [
        "formulation",
        "time_step",
        "time",
        "position_error",
        "penetration",
        "friction_violation",
        "energy_error",
        "energy_drift",
    ];
}

/// Results of all runs and of the reference.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Rows in the order of the plan: by model, then by step.
    pub rows: Vec<CompareRow>,
    /// Traces, in the order of `rows`.
    pub traces: Vec<Trace>,
    /// Model of the reference.
    pub reference: Model,
    /// Time step of the reference (s).
    pub reference_time_step: f64,
    /// Pairs of t (s) and the energy of the reference minus that at the start (J), at the times kept.
    pub reference_drift: Vec<(f64, f64)>,
    /// Number of steps of the reference above its tolerance: with any, errors are not to be trusted.
    pub reference_unsolved: usize,
    /// Largest and final position error of the reference run itself (m), if a closed form is given.
    pub reference_error: Option<[f64; 2]>,
}

impl Comparison {
    /// Describes the reference run in words.
    pub fn described(&self) -> String {
        format!("{} with h = {} s", self.reference.as_str(), self.reference_time_step)
    }
}
