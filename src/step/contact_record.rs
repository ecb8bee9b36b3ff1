//! Records of contacts, for the referee and the output.

use super::substep::{Span, StepPhase};
use nalgebra::Vector3;
use signorini_geometry::{Image, Touch};

/// Key of a contact: bodies, parts and image.
pub(crate) type ContactKey = ([usize; 4], Image);

/// State of a contact over the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// Open: p_n = 0.
    Open,
    /// Stick: p_n > 0 and the friction impulse is inside the ellipsoid.
    Stick,
    /// Slip: p_n > 0 and the friction impulse is on the ellipsoid.
    Slip,
}

impl ContactState {
    /// Word of the state in CSV.
    pub fn as_str(self) -> &'static str {
        match self {
            ContactState::Open => "open",
            ContactState::Stick => "stick",
            ContactState::Slip => "slip",
        }
    }
}

/// Geometry at which the impulses of a contact act under the staggered integrator: (1 − θ) start + θ end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acting {
    /// Blend θ.
    pub theta: f64,
    /// Equivalent contact point at the start of the step (m).
    pub point: Vector3<f64>,
    /// Unit normal from A into B at the start of the step.
    pub normal: Vector3<f64>,
    /// Turn of the direction of slip in the step before (rad), as a rotation vector: slip as a vector of the
    /// world, e_t v_t t + e_o v_o o + e_r ω_n n, is turned back by half of it.
    pub turn: Vector3<f64>,
    /// Mean slip (m/s) of the step where sliding ends within it, a vector of the world like that; else 0. A
    /// contact with this slip sticks.
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
    /// Part of body A, 0 of a body of one shape.
    pub part_a: usize,
    /// Part of body B.
    pub part_b: usize,
    /// Image of body B, in a periodic box: all of the record is as A sees it, with body B in the place of
    /// that image.
    pub image: Image,
    /// Equivalent contact point (m), at which the friction wrench acts.
    pub ecp: Vector3<f64>,
    /// Unit normal from A into B at the end of the step.
    pub normal: Vector3<f64>,
    /// Unit tangent, along which the first corner of a friction polygon lies. Zero where it is not known.
    pub tangent: Vector3<f64>,
    /// Signed distance at the end of the step (m).
    pub gap: f64,
    /// Normal impulse p_n (N s): ≥ 0, or down to −`cohesion_impulse` where bodies pull each other.
    pub normal_impulse: f64,
    /// Tangential friction impulse on body B (N s), in the contact plane.
    pub friction_impulse: Vector3<f64>,
    /// Torsional impulse p_r about the normal on body B (N m s).
    pub torsional_impulse: f64,
    /// Torsional radius e_r at the end of the step (m).
    pub torsional_radius: f64,
    /// Couple of rolling resistance on body B (N m s), in the contact plane.
    pub rolling_impulse: Vector3<f64>,
    /// Impulse h F_c (N s) where cohesion acts, else 0: the most that p_n may pull.
    pub cohesion_impulse: f64,
    /// Slip speed |(e_t v_t, e_o v_o, e_r ω_n)| at the ECP at the end of the step (m/s): the multiplier σ of
    /// [CBAT (5)].
    pub slip_speed: f64,
    /// State of the contact.
    pub state: ContactState,
    /// Part of the step in which the impulses acted; the geometry is that at its end.
    pub span: Span,
    /// Phase of that part.
    pub phase: StepPhase,
    /// Geometry at which the impulses act, if not that of the end.
    pub acting: Option<Acting>,
    /// Kind and points of the touch, which the referee does not use.
    pub touch: Touch,
}

impl ContactRecord {
    /// Pressing impulse p_n + h F_c (N s, ≥ 0), which closes the contact, and bounds friction and rolling
    /// resistance.
    pub fn pressing(&self) -> f64 {
        self.normal_impulse + self.cohesion_impulse
    }

    /// Couple of torsion and rolling resistance on body B (N m s), where the normal is that of the end.
    pub(crate) fn couple(&self) -> Vector3<f64> {
        self.normal * self.torsional_impulse + self.rolling_impulse
    }

    /// Impulse on body B (N s): p_n n and friction, where the normal is that of the end.
    pub(crate) fn impulse(&self) -> Vector3<f64> {
        self.normal * self.normal_impulse + self.friction_impulse
    }

    /// Whether the impulses of the record are those that changed the velocities of the bodies.
    pub fn counts(&self) -> bool {
        self.phase != StepPhase::Position
    }

    /// Key by which records are sorted: the bodies, then their parts, then the image.
    pub fn key(&self) -> ContactKey {
        ([self.body_a, self.body_b, self.part_a, self.part_b], self.image)
    }
}
