//! What a step leaves behind for the referee and the output.

use crate::settings::Formulation;
use crate::solver::{ConicValue, Residual, SolveStatus};
use nalgebra::Vector3;

/// What a contact did over the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// p_n = 0.
    Open,
    /// p_n > 0 and the friction impulse is inside the ellipsoid.
    Stick,
    /// p_n > 0 and the friction impulse is on the ellipsoid.
    Slip,
}

impl ContactState {
    /// The word used in CSV.
    pub fn as_str(self) -> &'static str {
        match self {
            ContactState::Open => "open",
            ContactState::Stick => "stick",
            ContactState::Slip => "slip",
        }
    }
}

/// One near pair at the end of the step. All vectors in world axes; body_a < body_b is NOT implied:
/// a half-space is always body_a.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRecord {
    /// Body A; the normal points from A into B.
    pub body_a: usize,
    /// Body B.
    pub body_b: usize,
    /// Equivalent contact point (m): where the friction wrench acts.
    pub ecp: Vector3<f64>,
    /// Unit normal from A into B at the end of the step.
    pub normal: Vector3<f64>,
    /// Signed distance at the end of the step (m).
    pub gap: f64,
    /// p_n (N s, ≥ 0).
    pub normal_impulse: f64,
    /// Tangential friction impulse on body B (N s), in the contact plane.
    pub friction_impulse: Vector3<f64>,
    /// p_r: torsional impulse about the normal on body B (N m s).
    pub torsional_impulse: f64,
    /// |(e_t v_t, e_o v_o, e_r ω_n)| at the ECP at the end of the step (m/s): the multiplier σ of [CBAT (5)].
    pub slip_speed: f64,
    /// What the contact did.
    pub state: ContactState,
}

/// How a step went.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepInfo {
    /// How the solve ended (the worst island).
    pub status: SolveStatus,
    /// Residual of the accepted iterate (the worst of each part over the islands).
    pub residual: Residual,
    /// The same relative to max(p_ref, max p).
    pub relative_residual: f64,
    /// Newton iterations, the largest over the islands.
    pub iterations: usize,
    /// Numeric factorisations, summed over the islands.
    pub factorizations: usize,
    /// Restarts of the ladder, summed.
    pub restarts: usize,
    /// Near pairs.
    pub n_contacts: usize,
    /// Islands.
    pub n_islands: usize,
    /// Objective and duality gap, summed over the islands, where the model is a convex problem.
    pub conic: Option<ConicValue>,
    /// The model that took the step.
    pub formulation: Formulation,
    /// Why `auto` took this step with another model than the one before.
    pub switch: Option<Switch>,
}

/// Why `auto` changed the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The linearised gap of the model before was indicated to be too far off.
    GapLinearization,
    /// Cone complementarity was indicated to lift a sliding contact too far.
    ConeLift,
    /// The friction polygon was indicated to bend a slide too far.
    SlipDirection,
    /// The model before did not solve the step.
    Unsolved,
    /// A cheaper model was indicated to do.
    Cheaper,
}

impl Switch {
    /// The word used in CSV.
    pub fn as_str(self) -> &'static str {
        match self {
            Switch::GapLinearization => "gap_linearization",
            Switch::ConeLift => "cone_lift",
            Switch::SlipDirection => "slip_direction",
            Switch::Unsolved => "unsolved",
            Switch::Cheaper => "cheaper",
        }
    }
}
