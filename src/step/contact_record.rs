//! What a contact leaves behind for the referee and the output.

use super::substep::{Span, StepPhase};
use signorini_geometry::{Image, Touch};
use nalgebra::Vector3;

/// Bodies, parts and image of a contact.
pub(crate) type ContactKey = ([usize; 4], Image);

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

/// Where the impulses of a contact act under the staggered integrator: at (1 − θ) start + θ end of its
/// geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acting {
    /// θ.
    pub theta: f64,
    /// Equivalent contact point at the start of the step (m).
    pub point: Vector3<f64>,
    /// Unit normal from A into B at the start of the step.
    pub normal: Vector3<f64>,
    /// By how much the direction of slip turned in the step before (rad), as a rotation vector: slip as a
    /// vector of the world, e_t v_t t + e_o v_o o + e_r ω_n n, is turned back by half of it.
    pub turn: Vector3<f64>,
    /// Where sliding ends within the step: its mean slip (m/s), a vector of the world like that; else 0. The
    /// contact sticks where it slips like this.
    pub last_slip: Vector3<f64>,
}

/// A part of a body near a part of another at the end of the step, or of the substep that it belongs to. All
/// vectors in world axes; body_a < body_b is NOT implied: a half-space is always of body_a.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRecord {
    /// Body A; the normal points from A into B.
    pub body_a: usize,
    /// Body B.
    pub body_b: usize,
    /// Which part of body A, 0 of a body of one shape.
    pub part_a: usize,
    /// Which part of body B.
    pub part_b: usize,
    /// Which image of body B, in a periodic box: all of the record is as A sees it, and of B as if it were
    /// where that image is.
    pub image: Image,
    /// Equivalent contact point (m): where the friction wrench acts.
    pub ecp: Vector3<f64>,
    /// Unit normal from A into B at the end of the step.
    pub normal: Vector3<f64>,
    /// Unit tangent: where the first corner of a friction polygon lies. Zero where it is not known.
    pub tangent: Vector3<f64>,
    /// Signed distance at the end of the step (m).
    pub gap: f64,
    /// p_n (N s): ≥ 0, or down to −`cohesion_impulse` where bodies pull each other.
    pub normal_impulse: f64,
    /// Tangential friction impulse on body B (N s), in the contact plane.
    pub friction_impulse: Vector3<f64>,
    /// p_r: torsional impulse about the normal on body B (N m s).
    pub torsional_impulse: f64,
    /// e_r at the end of the step (m).
    pub torsional_radius: f64,
    /// Couple of rolling resistance on body B (N m s), in the contact plane.
    pub rolling_impulse: Vector3<f64>,
    /// h F_c (N s) where cohesion acts, else 0: how much p_n may pull.
    pub cohesion_impulse: f64,
    /// |(e_t v_t, e_o v_o, e_r ω_n)| at the ECP at the end of the step (m/s): the multiplier σ of [CBAT (5)].
    pub slip_speed: f64,
    /// What the contact did.
    pub state: ContactState,
    /// The part of the step in which the impulses acted; the geometry is that at its end.
    pub span: Span,
    /// Which phase of that part.
    pub phase: StepPhase,
    /// Where the impulses act, if not at the end.
    pub acting: Option<Acting>,
    /// What touches. The referee does not ask.
    pub touch: Touch,
}

impl ContactRecord {
    /// p_n + h F_c (N s, ≥ 0): what closes the contact, and bounds friction and rolling resistance.
    pub fn pressing(&self) -> f64 {
        self.normal_impulse + self.cohesion_impulse
    }

    /// Torsion and rolling resistance on body B (N m s), where the normal is that of the end.
    pub(crate) fn couple(&self) -> Vector3<f64> {
        self.normal * self.torsional_impulse + self.rolling_impulse
    }

    /// The impulse on body B (N s): p_n n and friction, where the normal is that of the end.
    pub(crate) fn impulse(&self) -> Vector3<f64> {
        self.normal * self.normal_impulse + self.friction_impulse
    }

    /// Whether its impulses are those that changed the velocities of the bodies.
    pub fn counts(&self) -> bool {
        self.phase != StepPhase::Position
    }

    /// What records are sorted by: the bodies, then their parts, then the image.
    pub fn key(&self) -> ContactKey {
        ([self.body_a, self.body_b, self.part_a, self.part_b], self.image)
    }
}
