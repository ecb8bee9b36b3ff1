//! Settings of the solver: meaning, unit, default, why, safe range.

mod core_ranges;

use crate::solver::CoreSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which time-stepping model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Formulation {
    /// Geometrically implicit NCP, production path: contact conditions hold at the end of the step.
    #[default]
    Implicit,
    /// The papers' own system [CBAT (10), (11)] with every unknown kept; a reference for small scenes.
    Literal,
}

/// Where the gyroscopic torque −ω × I ω is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// At the end of the step with I of the start [XC (22)]: never gains energy, damps fast spin.
    #[default]
    Implicit,
    /// At the start of the step as in CBAT: cheaper, gains energy when h |ω| is not small.
    Explicit,
}

/// `[solver]` of a scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSettings {
    /// Time-stepping model.
    pub formulation: Formulation,
    /// A step is solved when its largest scaled residual is at most this. Default 1e-8; 1e-12 to 1e-2.
    pub tolerance: f64,
    /// Where the gyroscopic torque is evaluated.
    pub gyroscopic: Gyroscopic,
    /// Newton iterations allowed per step (of an island, and per substep) before it counts as not converged. Default 2000; 1 to 1000000.
    pub max_iterations: usize,
    /// Levels of halving for an island whose step is not solved: its shortest substep is h / 2^halvings. Default 5; 0 to
    /// 10, 0 to leave such steps unsolved.
    pub halvings: u32,
    /// Parameters of the core method.
    pub core: CoreSettings,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            formulation: Formulation::default(),
            tolerance: 1e-8,
            gyroscopic: Gyroscopic::default(),
            max_iterations: 2000,
            halvings: 5,
            core: CoreSettings::default(),
        }
    }
}

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFault {
    /// The field.
    pub field: &'static str,
    /// Its value as text.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl SolverSettings {
    /// All settings that are out of range.
    pub fn faults(&self) -> Vec<SettingFault> {
        let mut faults = Vec::new();
        let mut require = |holds: bool, field, value: String, allowed: &str| {
            if !holds {
                faults.push(SettingFault { field, value, allowed: allowed.to_owned() });
            }
        };
        let tolerance = self.tolerance;
        require(
            (1e-12..=1e-2).contains(&tolerance),
            "tolerance",
            format!("{tolerance:?}"),
            "must be 1e-12 to 1e-2",
        );
        let iterations = self.max_iterations;
        require(
            (1..=1_000_000).contains(&iterations),
            "max_iterations",
            iterations.to_string(),
            "must be 1 to 1000000",
        );
        require(self.halvings <= 10, "halvings", self.halvings.to_string(), "must be 0 to 10");
        core_ranges::faults(&self.core, &mut faults);
        faults
    }
}
