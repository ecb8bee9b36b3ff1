//! `times.csv`.

use serde::{Deserialize, Serialize};
use signorini::simulation::StepOutcome;

/// A row of `times.csv`: the times that one step took (s). They are kept apart from `steps.csv`, because no
/// two runs take the same time, while all else that they write is the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TimeRow {
    pub step: usize,
    pub wall_seconds: f64,
    pub referee_seconds: f64,
    pub broad_seconds: f64,
    pub geometry_seconds: f64,
    pub assembly_seconds: f64,
    pub factor_seconds: f64,
    pub solve_seconds: f64,
}

impl TimeRow {
    /// Header of `times.csv`.
    pub const COLUMNS: [&'static str; 8] = [
        "step",
        "wall_seconds",
        "referee_seconds",
        "broad_seconds",
        "geometry_seconds",
        "assembly_seconds",
        "factor_seconds",
        "solve_seconds",
    ];

    /// Makes the row of a step.
    pub fn new(outcome: &StepOutcome) -> Self {
        let info = &outcome.info;
        Self {
            step: outcome.step,
            wall_seconds: outcome.solve_time.as_secs_f64(),
            referee_seconds: outcome.verdict.map_or(0.0, |_| outcome.referee_time.as_secs_f64()),
            broad_seconds: info.broad_seconds,
            geometry_seconds: info.times.geometry,
            assembly_seconds: info.times.assembly,
            factor_seconds: info.times.factor,
            solve_seconds: info.times.solve,
        }
    }
}
