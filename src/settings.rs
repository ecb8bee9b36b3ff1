//! Settings of the solver: meaning, unit, default, why, safe range.

mod core_ranges;
pub mod family;

pub use family::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, LcpMethod, LiteralBlock,
    LiteralRotation, LiteralSettings, Scheme, StewartTrinkleSettings,
};

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
    /// Geometry and linearised gap at the start of the step, friction polygon, linear complementarity
    /// problem.
    StewartTrinkle,
    /// Geometry and linearised gap at the start of the step, convex cone complementarity problem [NS
    /// (9)–(15)].
    Cone,
    /// Compliant contact and springs, θ-method in two stages, convex friction [SAP (1)–(12)].
    Compliant,
    /// In each step the cheapest of cone, stewart-trinkle and implicit whose indicated error stays below a
    /// tolerance.
    Auto,
}

impl Formulation {
    /// Whether the model solves the equations that the referee judges by. The others approximate them: the
    /// referee then measures the model's error.
    pub fn is_exact(self) -> bool {
        matches!(self, Formulation::Implicit | Formulation::Literal)
    }

    /// The word used in scene files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Formulation::Implicit => "implicit",
            Formulation::Literal => "literal",
            Formulation::StewartTrinkle => "stewart-trinkle",
            Formulation::Cone => "cone",
            Formulation::Compliant => "compliant",
            Formulation::Auto => "auto",
        }
    }
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

/// How a step of the implicit formulation is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Impulses act at the end pose, as in the papers: first order, damps rolling and rocking at the rate h
    /// ω²/2.
    #[default]
    ImplicitEuler,
    /// Impulses act at the start pose, contact conditions hold at the end pose, velocities are those at the
    /// middle of the step: second order where contacts last. Islands that are not solved are taken by
    /// implicit Euler in substeps.
    Staggered,
}

/// `[solver]` of a scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSettings {
    /// Time-stepping model.
    pub formulation: Formulation,
    /// A step is solved when its largest scaled residual is at most this. Default 1e-8; 1e-12 to 1e-2.
    pub tolerance: f64,
    /// The tolerance is relative to the largest normal impulse where that exceeds p_ref, but to 100 p_ref at
    /// most: under a thousand bodies the lowest bear a hundred times the mean. `implicit` only.
    pub relative_tolerance: bool,
    /// How a step is taken; `staggered` only with `formulation = "implicit"`.
    pub integrator: Integrator,
    /// Where the gyroscopic torque is evaluated (the staggered integrator has a way of its own).
    pub gyroscopic: Gyroscopic,
    /// Newton iterations allowed per step (of an island, and per substep) before it counts as not converged.
    /// Default 4000; 1 to 1000000.
    pub max_iterations: usize,
    /// Levels of halving for an island whose step is not solved: its shortest substep is h / 2^halvings.
    /// Default 5; 0 to 10, 0 to leave such steps unsolved.
    pub halvings: u32,
    /// Parameters of the core method.
    pub core: CoreSettings,
    /// Parameters of `formulation = "literal"`.
    pub literal: LiteralSettings,
    /// Parameters of `formulation = "cone"`.
    pub cone: ConeSettings,
    /// Parameters of `formulation = "stewart-trinkle"`.
    pub stewart_trinkle: StewartTrinkleSettings,
    /// Parameters of `formulation = "compliant"`.
    pub compliant: CompliantSettings,
    /// Parameters of `formulation = "auto"`.
    pub auto: AutoSettings,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            formulation: Formulation::default(),
            tolerance: 1e-8,
            relative_tolerance: false,
            integrator: Integrator::default(),
            gyroscopic: Gyroscopic::default(),
            max_iterations: 4000,
            halvings: 5,
            core: CoreSettings::default(),
            literal: LiteralSettings::default(),
            cone: ConeSettings::default(),
            stewart_trinkle: StewartTrinkleSettings::default(),
            compliant: CompliantSettings::default(),
            auto: AutoSettings::default(),
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

/// The tolerance is relative to at most this many times p_ref.
const MOST_RELATIVE: f64 = 100.0;

impl SolverSettings {
    /// The residual at which a step with this largest normal impulse is solved, in units of p_ref.
    pub fn tolerance_at(&self, largest_impulse: f64, p_ref: f64) -> f64 {
        let times = (largest_impulse / p_ref).clamp(1.0, MOST_RELATIVE);
        if self.relative_tolerance && times.is_finite() { times * self.tolerance } else { self.tolerance }
    }

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
        if self.integrator == Integrator::Staggered && self.formulation != Formulation::Implicit {
            faults.push(SettingFault {
                field: "integrator",
                value: "\"staggered\"".to_owned(),
                allowed: format!("only with formulation = \"implicit\", not {:?}", self.formulation.as_str()),
            });
        }
        core_ranges::faults(&self.core, &mut faults);
        faults.extend(family::faults(&self.cone, &self.stewart_trinkle, &self.compliant, &self.auto));
        faults
    }
}
