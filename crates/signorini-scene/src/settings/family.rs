//! Settings of the formulations beside the default one.

use super::fault::SettingFault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the cone complementarity problem of a step is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConeMethod {
    /// The production method with the cone as the law of its contacts.
    #[default]
    Proximal,
    /// Accelerated projected gradient descent with restart, the usual method of the literature.
    Apgd,
}

/// `[solver.cone]`: cone complementarity [NS (9)–(15)].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConeSettings {
    /// Method.
    pub method: ConeMethod,
    /// Gradient steps of `apgd` per island and step at most. Default 200000; 1 to 100000000.
    pub apgd_iterations: usize,
}

impl Default for ConeSettings {
    fn default() -> Self {
        Self { method: ConeMethod::default(), apgd_iterations: 200_000 }
    }
}

/// How the linear complementarity problem of a step is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LcpMethod {
    /// Lemke's method for small islands, the production method for larger ones and where Lemke ends on a ray,
    /// and Lemke's again where that stops.
    #[default]
    Auto,
    /// Lemke's pivoting on the dense problem.
    Lemke,
    /// The production method (sparse) with the polygon as the law of its contacts.
    Newton,
}

/// `[solver.stewart_trinkle]`: friction polygons and a linear complementarity problem per step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StewartTrinkleSettings {
    /// Directions m of the friction polygon, even, 4 to 1000. Torsional friction adds two. Default 8.
    pub directions: usize,
    /// Method.
    pub method: LcpMethod,
    /// `auto` gives islands of at most this many complementarity unknowns to Lemke. Default 100; 1 to 5000.
    pub largest_lemke: usize,
    /// `auto` gives islands that the sparse method left unsolved to Lemke if they have at most this many
    /// complementarity unknowns: seconds for 1000, up to minutes for 3000. Default 3000; 0 to 5000.
    pub largest_fallback: usize,
}

impl Default for StewartTrinkleSettings {
    fn default() -> Self {
        Self { directions: 8, method: LcpMethod::default(), largest_lemke: 100, largest_fallback: 3000 }
    }
}

/// Closest points and multipliers of bodies with several facets in the literal formulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiteralBlock {
    /// The normal is Σ l_i ∇f_i(a1), of length 1: a facet that is not active has no part in it.
    #[default]
    Homogenised,
    /// [XC (13) to (17)] as printed, where one facet of A counts in full whatever its multiplier: bodies with
    /// several facets each may end inside each other.
    AsPrinted,
}

/// How a rotation follows from an angular velocity in the literal formulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiteralRotation {
    /// R⁺ = exp(h ω) R, as in the other formulations.
    #[default]
    Exponential,
    /// q⁺ = q + h G(q) ν, brought back to length 1 [XC (8)]: turns by 2 atan(h|ω|/2) instead of h|ω|.
    Quaternion,
}

/// `[solver.literal]`: the papers' own system, and how far it is as they print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LiteralSettings {
    /// Equations of bodies with several facets.
    pub block: LiteralBlock,
    /// Update of orientations.
    pub rotation: LiteralRotation,
}

/// When positions and velocities are evaluated in the compliant model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Scheme")]
pub enum ThetaScheme {
    /// θ_q = θ_v = 0, θ_vq = 1: first order, keeps the energy of springs bounded.
    #[default]
    SymplecticEuler,
    /// θ_q = θ_v = θ_vq = 1: first order, damps, stable for stiff springs.
    ImplicitEuler,
    /// θ_q = θ_v = θ_vq = 1/2: second order away from impacts, keeps the energy of springs.
    Midpoint,
}

/// Friction of the compliant model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CompliantFriction {
    /// The convex approximation: sliding at v_t lifts a contact like an approach at μ v_t would press it.
    #[default]
    Convex,
    /// Coulomb's law, by a fixed point on the convex problem.
    Coulomb,
}

/// `[solver.compliant]`: compliant contact with the θ-method in two stages [SAP (1)–(12)].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompliantSettings {
    /// Named values of θ.
    pub scheme: ThetaScheme,
    /// θ_q, θ_v, θ_vq, each 0 to 1, instead of those of `scheme`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta: Option<[f64; 3]>,
    /// Friction.
    pub friction: CompliantFriction,
    /// Regularisation of friction σ: R_t = σ times the contact's inverse effective mass, so that a sticking
    /// contact creeps at about σ g h. Default 1e-3; 1e-9 to 1.
    pub friction_regularization: f64,
    /// Near-rigid threshold β: no contact is stiffer than one whose period is β h, R_n ≥ β²/(4π²) times the
    /// inverse effective mass. Materials without stiffness are as stiff as that. Default 1; 1e-3 to 100.
    pub near_rigid: f64,
}

impl Default for CompliantSettings {
    fn default() -> Self {
        Self {
            scheme: ThetaScheme::default(),
            theta: None,
            friction: CompliantFriction::default(),
            friction_regularization: 1e-3,
            near_rigid: 1.0,
        }
    }
}

impl CompliantSettings {
    /// θ_q, θ_v, θ_vq.
    pub fn thetas(&self) -> [f64; 3] {
        self.theta.unwrap_or(match self.scheme {
            ThetaScheme::SymplecticEuler => [0.0, 0.0, 1.0],
            ThetaScheme::ImplicitEuler => [1.0; 3],
            ThetaScheme::Midpoint => [0.5; 3],
        })
    }
}

/// `[solver.auto]`: which of the models is used in each step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutoSettings {
    /// A model is used while its indicated error in a step, a displacement over the size of the smaller body,
    /// stays below this. Default 1e-4; 1e-12 to 1.
    pub tolerance: f64,
    /// A cheaper model is tried again after this many steps in which its indicated error was below half the
    /// tolerance. Default 10; 1 to 1000000.
    pub patience: usize,
}

impl Default for AutoSettings {
    fn default() -> Self {
        Self { tolerance: 1e-4, patience: 10 }
    }
}

/// Faults of all these settings.
pub fn faults(
    cone: &ConeSettings,
    stewart_trinkle: &StewartTrinkleSettings,
    compliant: &CompliantSettings,
    auto: &AutoSettings,
) -> Vec<SettingFault> {
    let mut faults = Vec::new();
    let mut require = |holds: bool, field, value: String, allowed: &str| {
        if !holds {
            faults.push(SettingFault { field, value, allowed: allowed.to_owned() });
        }
    };
    let n = cone.apgd_iterations;
    let allowed = "must be 1 to 100000000";
    require((1..=100_000_000).contains(&n), "cone.apgd_iterations", n.to_string(), allowed);
    let m = stewart_trinkle.directions;
    let even = (4..=1000).contains(&m) && m.is_multiple_of(2);
    let allowed = "must be an even number from 4 to 1000";
    require(even, "stewart_trinkle.directions", m.to_string(), allowed);
    let n = stewart_trinkle.largest_lemke;
    require((1..=5000).contains(&n), "stewart_trinkle.largest_lemke", n.to_string(), "must be 1 to 5000");
    let n = stewart_trinkle.largest_fallback;
    require(n <= 5000, "stewart_trinkle.largest_fallback", n.to_string(), "must be 0 to 5000");
    if let Some(theta) = compliant.theta {
        let within = theta.iter().all(|t| (0.0..=1.0).contains(t));
        let allowed = "must be three numbers from 0 to 1 (θ_q, θ_v, θ_vq)";
        require(within, "compliant.theta", format!("{theta:?}"), allowed);
    }
    let sigma = compliant.friction_regularization;
    let field = "compliant.friction_regularization";
    require((1e-9..=1.0).contains(&sigma), field, format!("{sigma:?}"), "must be 1e-9 to 1");
    let beta = compliant.near_rigid;
    let field = "compliant.near_rigid";
    require((1e-3..=100.0).contains(&beta), field, format!("{beta:?}"), "must be 1e-3 to 100");
    let tolerance = auto.tolerance;
    let within = (1e-12..=1.0).contains(&tolerance);
    require(within, "auto.tolerance", format!("{tolerance:?}"), "must be 1e-12 to 1");
    let patience = auto.patience;
    let within = (1..=1_000_000).contains(&patience);
    require(within, "auto.patience", patience.to_string(), "must be 1 to 1000000");
    faults
}
