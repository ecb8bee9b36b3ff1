//! The verdict on a step, and the findings behind it.

use super::contact_law::ContactFinding;
use super::couplings::CouplingFinding;
use super::energy::Energy;
use super::joints::JointFinding;
use super::separation::SmallestGap;
use super::turns::MAX_TURN;
use signorini_kernels::math::{largest, raise};
use signorini_scene::scene::Scene;

/// Number of tolerances to which a part is held. The solver's quantities are recomputed with vector norms, a
/// contact point that may differ by the gap and another choice of r_t, which moves a natural map by at most
/// max(r/r', r'/r), 1.5 when e_r = 0; one tolerance exactly would test that choice, not the solution.
pub(super) const TOLERANCES: f64 = 2.0;

/// Overlap over the size of the smaller body that passes at this tolerance and below.
const DEEPEST: f64 = 1e-8;

/// Violation of a joint over its size (m/m, or rad) that a solved step may have, as a fraction of the
/// tolerance.
const JOINT_PART: f64 = 0.01;

/// Verdict of the referee on one step, each body and contact in its unit u (theory §5.4).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Verdict {
    /// Momentum balance of each body rebuilt from the contact list, in its unit; and poses that do
    /// not follow from the velocities, as the momentum that would make up for them.
    pub momentum: f64,
    /// Violation of min(p_n, m_eff gap / h) over contacts, / u; and a recorded gap, normal or ECP that the
    /// two surfaces do not have.
    pub complementarity: f64,
    /// Violation of the law of friction: outside the ellipsoid, or not opposite to the slip, / u.
    pub friction: f64,
    /// Smallest signed distance of any pair of bodies (m), found by another method than the solver's.
    /// Infinite when no pair is nearer than a tenth of the mean size and the scene has no half-space.
    pub min_gap: f64,
    /// Smallest signed distance over the size of the smaller body (negative = penetration).
    pub min_gap_relative: f64,
    /// Kinetic energy at the end of the step (J).
    pub kinetic_energy: f64,
    /// Potential energy −Σ m g·c and that of springs at the end of the step (J).
    pub potential_energy: f64,
    /// Energy created without a source: change of kinetic + potential energy minus work of the applied loads
    /// at the end velocity, if positive beyond rounding (J). `referee/energy.rs` says when that may be.
    pub energy_created: f64,
    /// Largest violation of a joint over its size (m/m, or rad), limits, prescribed motions and couplings
    /// included; the turn that impulses make at a joint (rad) where it is too large.
    pub joint_error: f64,
    /// Whether all claims hold: momentum, complementarity and friction to twice the tolerance, no pair deeper
    /// than the tolerance times its size (1e-8 of it at least), energy within the theorem of
    /// `referee/energy.rs`, and every number finite.
    pub green: bool,
}

/// Findings behind a [`Verdict`], part by part.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Findings {
    /// Deviation of the poses from the velocities, / u.
    pub pose: f64,
    /// Linear momentum rows / u.
    pub linear: f64,
    /// Angular momentum rows over the radii of gyration, / u.
    pub angular: f64,
    /// Contact law |min(p_n, r_n gap/h)| / u.
    pub gap_law: f64,
    /// Error of recorded gaps, / u.
    pub gap_record: f64,
    /// Error of recorded normals and ECPs against the surfaces (rad, and of the smaller size).
    pub geometry: f64,
    /// Natural map of friction / u.
    pub natural_map: f64,
    /// Friction out of the contact plane, or torsion in pairs without torsion, / u.
    pub misplaced: f64,
    /// Largest u·w + μ p_n |w| (W s): dissipation that the law demands and the record lacks.
    pub lost_dissipation: f64,
    /// Violation of joints, as momentum, / u.
    pub joint_position: f64,
    /// Reactions that a joint cannot exert, and violation of the laws of motors and limits, / u; turns that
    /// are too large, over the largest one.
    pub joint_law: f64,
    /// Largest violation of a joint over its size.
    pub joint_error: f64,
    /// Largest violation of a joint beyond rounding.
    pub joint_excess: f64,
    /// Energy balance.
    pub energy: Energy,
}

impl Findings {
    /// Adds the findings at a contact.
    pub(super) fn add_contact(&mut self, found: &ContactFinding) {
        raise(&mut self.gap_law, found.complementarity);
        raise(&mut self.gap_record, found.gap_record);
        raise(&mut self.geometry, found.geometry);
        raise(&mut self.natural_map, found.friction.natural_map);
        raise(&mut self.misplaced, found.friction.misplaced);
        raise(&mut self.lost_dissipation, found.friction.lost_dissipation);
    }

    /// Adds the findings at a coupling.
    pub(super) fn add_coupling(&mut self, found: &CouplingFinding) {
        raise(&mut self.joint_position, found.position / found.unit);
        raise(&mut self.joint_law, found.law / found.unit);
        raise(&mut self.joint_error, found.error);
        raise(&mut self.joint_excess, found.excess);
    }

    /// Adds the findings at a joint.
    pub(super) fn add_joint(&mut self, found: &JointFinding) {
        raise(&mut self.joint_position, found.position / found.unit);
        raise(&mut self.joint_law, found.reaction / found.unit);
        raise(&mut self.joint_law, found.law / found.unit);
        raise(&mut self.joint_error, found.error);
        raise(&mut self.joint_excess, found.excess);
        if found.turn.is_nan() || found.turn > MAX_TURN {
            raise(&mut self.joint_law, found.turn / MAX_TURN);
            raise(&mut self.joint_error, found.turn);
        }
    }

    /// Returns the verdict that follows from the findings.
    pub(super) fn verdict(&self, scene: &Scene, smallest: SmallestGap, is_energy_lawful: bool) -> Verdict {
        let momentum = largest([self.pose, self.linear, self.angular]);
        let complementarity =
            largest([self.gap_law, self.gap_record, self.geometry, self.joint_position, self.joint_law]);
        let friction = largest([self.natural_map, self.misplaced]);
        let all = largest([momentum, complementarity, friction]);
        let tolerance = scene.solver.tolerance;
        let energy = &self.energy;
        let finite = all.is_finite() && energy.kinetic.is_finite() && energy.potential.is_finite();
        Verdict {
            momentum,
            complementarity,
            friction,
            min_gap: smallest.absolute,
            min_gap_relative: smallest.relative,
            kinetic_energy: energy.kinetic,
            potential_energy: energy.potential,
            energy_created: if energy.created > energy.rounding { energy.created } else { 0.0 },
            joint_error: self.joint_error,
            green: finite
                && is_energy_lawful
                && all <= TOLERANCES * tolerance
                && !is_too_deep(scene, &smallest)
                && self.joint_excess <= TOLERANCES * JOINT_PART * tolerance.max(DEEPEST),
        }
    }
}

/// Whether bodies overlap by more than the scene accepts: a larger tolerance accepts rougher contacts.
pub(super) fn is_too_deep(scene: &Scene, smallest: &SmallestGap) -> bool {
    smallest.relative.is_nan() || smallest.relative < -scene.solver.tolerance.max(DEEPEST)
}

/// Verdict on an inconsistent record: a contact between bodies that do not exist, of a body with itself, or
/// of a substep that does not exist, or joints that are not those of the scene.
pub(super) fn inconsistent_record() -> Verdict {
    Verdict {
        complementarity: f64::INFINITY,
        min_gap: f64::NAN,
        min_gap_relative: f64::NAN,
        ..Verdict::default()
    }
}
