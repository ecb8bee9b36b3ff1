//! What a step leaves behind for the referee and the output.

pub use crate::contact::Touch;
use crate::geometry::{Pose, Velocity};
use crate::settings::Formulation;
use crate::solver::{ConicValue, Phase, Residual, SolveStatus, Times};
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

/// A part of a step, in fractions of its length h: halving gives dyadic fractions, which are exact in binary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Where it begins, 0 at the start of the step.
    pub start: f64,
    /// Where it ends, 1 at the end of the step.
    pub end: f64,
}

impl Span {
    /// The step itself.
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    /// Its length as a fraction of h.
    pub fn length(&self) -> f64 {
        self.end - self.start
    }

    /// Both halves, the earlier one first.
    pub fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.start + self.end);
        [Self { end: middle, ..*self }, Self { start: middle, ..*self }]
    }
}

/// Pose and velocity of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Body id.
    pub body: usize,
    /// Pose, world.
    pub pose: Pose,
    /// Velocity, world.
    pub velocity: Velocity,
}

/// One substep of an island whose step was halved, as it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Substep {
    /// Which part of the step. The substeps of an island follow each other without a hole, from 0 to 1.
    pub span: Span,
    /// All moving bodies of the island, ascending, at the end of the substep.
    pub bodies: Vec<BodyState>,
}

impl Substep {
    /// The smallest body: it stands for the island.
    ///
    /// # Panics
    /// When there is no body: an island has one at least.
    pub fn island(&self) -> usize {
        self.bodies[0].body
    }
}

/// Where the impulses of a contact act under the staggered integrator: at (1 − θ) start + θ end of its geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acting {
    /// θ.
    pub theta: f64,
    /// Equivalent contact point at the start of the step (m).
    pub point: Vector3<f64>,
    /// Unit normal from A into B at the start of the step.
    pub normal: Vector3<f64>,
    /// By how much the direction of slip turned in the step before (rad), as a rotation vector: slip as a vector of the world,
    /// e_t v_t t + e_o v_o o + e_r ω_n n, is turned back by half of it.
    pub turn: Vector3<f64>,
    /// Where sliding ends within the step: its mean slip (m/s), a vector of the world like that; else 0. The contact sticks where it slips like this.
    pub last_slip: Vector3<f64>,
}

/// One near pair at the end of the step, or at the end of the substep it belongs to. All vectors in world axes; body_a < body_b is NOT implied:
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
    /// Unit tangent: where the first corner of a friction polygon lies. Zero where it is not known.
    pub tangent: Vector3<f64>,
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
    /// The part of the step in which the impulses acted; the geometry is that at its end.
    pub span: Span,
    /// Where the impulses act, if not at the end.
    pub acting: Option<Acting>,
    /// What touches. The referee does not ask.
    pub touch: Touch,
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
    /// Contacts recorded: near pairs at the end of the step, those of halved islands once per substep.
    pub n_contacts: usize,
    /// Islands.
    pub n_islands: usize,
    /// Substeps of all islands that were halved.
    pub n_substeps: usize,
    /// The last phase that was needed (by the island that needed most).
    pub phase: Phase,
    /// Where the time went, summed over the islands: with several threads, more than passed.
    pub times: Times,
    /// Time spent on finding near pairs and islands (s).
    pub broad_seconds: f64,
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
