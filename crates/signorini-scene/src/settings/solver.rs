//! `[solver]` of a scene file: settings that a user may change, with their effect on result and cost.

use super::family::{
    self, AutoSettings, CompliantSettings, ConeSettings, LiteralSettings, StewartTrinkleSettings,
};
use super::fault::SettingFault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signorini_ncp::solver::{LinearSolver, Methods};

/// Which time-stepping model is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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
    /// Every model.
    pub const ALL: [Self; 6] =
        [Self::Implicit, Self::Literal, Self::StewartTrinkle, Self::Cone, Self::Compliant, Self::Auto];

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

/// How a body turns that no contact, joint or load turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// As a free rigid body does (theory §1.4): it keeps its angular momentum and its energy, whatever the
    /// step.
    #[default]
    Exact,
    /// By the gyroscopic torque −ω × I ω of the end of the step, with I of the start [XC (22)], at the spin
    /// of the end: never gains energy, damps fast spin, loses angular momentum.
    Implicit,
    /// By the same torque at the start of the step as in CBAT: gains energy when h |ω| is not small.
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

/// How the Newton systems are solved.
// Schema of `LinearSolver`, whose crate knows no schemas.
#[derive(JsonSchema)]
#[schemars(rename = "LinearSolver")]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum LinearSolverSchema {
    /// The kind measured to be quickest: LU of small and medium islands, Cholesky with GMRES of large ones.
    Auto,
    /// LU of the true matrix, however large.
    Direct,
    /// No factorisation: an iteration preconditioned with the diagonal blocks.
    Krylov,
}

/// `[solver]` of a scene file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSettings {
    /// Time-stepping model.
    pub formulation: Formulation,
    /// A step is solved when its largest residual is at most this: momentum of each body relative to the
    /// impulses on that body, each contact relative to the lighter of its bodies (theory §5.4). Default 1e-4;
    /// 1e-12 to 1e-1.
    pub tolerance: f64,
    /// How a step is taken; `staggered` only with `formulation = "implicit"`.
    pub integrator: Integrator,
    /// How a body turns that nothing turns (the staggered integrator has a way of its own).
    pub gyroscopic: Gyroscopic,
    /// Whether a step in which something strikes has an impact phase (theory §13): then motions after impacts
    /// with slip do not depend on where in the step they fall, and each such step costs a solve more. Where
    /// anything rebounds it has one anyway. Default false; `formulation = "implicit"`, `integrator =
    /// "implicit-euler"` and `gyroscopic = "exact"` only.
    pub impact_phase: bool,
    /// Newton iterations allowed per step (of an island, and per substep) before it counts as not converged.
    /// Default 4000; 1 to 1000000.
    pub max_iterations: usize,
    /// Work that an island may take in a step, in seconds of a common core; a step that is not solved by then
    /// ends with its best iterate. Work is counted, not measured: it is the same on every machine and under
    /// every load. Default: 0.1 per body of the island, at least 10 and at most 60; 0.001 to 1e6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_seconds: Option<f64>,
    /// Seconds of the clock that a step may take, if there is such a limit: a last resort, after which the
    /// result depends on the machine. Not part of a file.
    #[serde(skip)]
    #[schemars(skip)]
    pub wall_limit: Option<f64>,
    /// Levels of halving for an island whose step is not solved: its shortest substep is h / 2^halvings.
    /// Default 5; 0 to 10, 0 to leave such steps unsolved.
    pub halvings: u32,
    /// How the Newton systems are solved. The result is the same within the tolerance; which is quickest
    /// depends on the number of bodies in an island, and `auto` chooses by it.
    #[schemars(with = "LinearSolverSchema")]
    pub linear_solver: LinearSolver,
    /// Islands of at most six bodies are solved on to this residual, whatever the tolerance, as long as that
    /// takes few iterations: energy then drifts less over long runs, for about one iteration more per step.
    /// Default 1e-12; 1e-12 to 1, 1 to do without.
    pub polish: f64,
    /// Restarts of a solve that is stuck before its step counts as not solved. More restarts solve a few more
    /// steps, and each costs as much as the solve. Default 3; 0 to 1000.
    pub restarts: usize,
    /// Newton matrices of islands of more than six bodies are factorised in f32 where their directions are
    /// iterated on anyway. The result meets the same tolerance; factorisation takes about half the time.
    /// Default true.
    pub single_precision: bool,
    /// Switches of methods, for tests; not part of a file, and no promise to users.
    #[doc(hidden)]
    #[serde(skip)]
    #[schemars(skip)]
    pub methods: Methods,
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
            tolerance: 1e-4,
            integrator: Integrator::default(),
            gyroscopic: Gyroscopic::default(),
            impact_phase: false,
            max_iterations: 4000,
            step_seconds: None,
            wall_limit: None,
            halvings: 5,
            linear_solver: LinearSolver::default(),
            polish: 1e-12,
            restarts: 3,
            single_precision: true,
            methods: Methods::default(),
            literal: LiteralSettings::default(),
            cone: ConeSettings::default(),
            stewart_trinkle: StewartTrinkleSettings::default(),
            compliant: CompliantSettings::default(),
            auto: AutoSettings::default(),
        }
    }
}

impl SolverSettings {
    /// How bodies turn under the formulation: the papers' own system, and a θ-method other than symplectic
    /// Euler, know the torque only.
    pub fn spin_rule(&self) -> Gyroscopic {
        let knows_torque_only = match self.formulation {
            Formulation::Literal => true,
            Formulation::Compliant => self.compliant.thetas() != [0.0, 0.0, 1.0],
            _ => false,
        };
        let is_replaced = knows_torque_only && self.gyroscopic == Gyroscopic::Exact;
        if is_replaced { Gyroscopic::Implicit } else { self.gyroscopic }
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
            (1e-12..=1e-1).contains(&tolerance),
            "tolerance",
            format!("{tolerance:?}"),
            "must be 1e-12 to 1e-1",
        );
        let iterations = self.max_iterations;
        require(
            (1..=1_000_000).contains(&iterations),
            "max_iterations",
            iterations.to_string(),
            "must be 1 to 1000000",
        );
        let seconds = self.step_seconds.unwrap_or(1.0);
        require(
            (1e-3..=1e6).contains(&seconds),
            "step_seconds",
            format!("{seconds:?}"),
            "must be 0.001 to 1e6",
        );
        let polish = self.polish;
        require((1e-12..=1.0).contains(&polish), "polish", format!("{polish:?}"), "must be 1e-12 to 1");
        require(self.restarts <= 1000, "restarts", self.restarts.to_string(), "must be 0 to 1000");
        require(self.halvings <= 10, "halvings", self.halvings.to_string(), "must be 0 to 10");
        if self.integrator == Integrator::Staggered && self.formulation != Formulation::Implicit {
            faults.push(SettingFault {
                field: "integrator",
                value: "\"staggered\"".to_owned(),
                allowed: format!("only with formulation = \"implicit\", not {:?}", self.formulation.as_str()),
            });
        }
        faults.extend(family::faults(&self.cone, &self.stewart_trinkle, &self.compliant, &self.auto));
        faults
    }
}
