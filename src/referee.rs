//! The independent judge of a step: it knows poses, velocities and impulses only.

use crate::scene::{Scene, State};
use crate::stepper::{ContactRecord, Loads};

/// What the referee found in one step. Scaled as in MODEL section 4: 1e-8 means the same in every scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Verdict {
    /// Momentum balance rebuilt from the contact list, / p_ref (angular / (p_ref L)).
    pub momentum: f64,
    /// min(p_n, m_eff gap / h) over contacts, / p_ref.
    pub complementarity: f64,
    /// Friction: outside the ellipsoid, or not opposite to the slip, / p_ref.
    pub friction: f64,
    /// Smallest signed distance of any pair of bodies (m), found by another route than the solver's.
    pub min_gap: f64,
    /// The same over the size of the smaller body (negative = penetration).
    pub min_gap_relative: f64,
    /// Kinetic energy at the end of the step (J).
    pub kinetic_energy: f64,
    /// Potential energy −Σ m g·c at the end of the step (J).
    pub potential_energy: f64,
    /// Energy that appeared from nowhere: change of kinetic + potential energy minus work of the applied loads, if positive (J).
    pub energy_created: f64,
    /// Largest momentum/complementarity/friction part relative to max(p_ref, max p).
    pub relative: f64,
    /// All claims hold to the tolerance.
    pub green: bool,
}

/// The judge with its workspace.
#[derive(Debug)]
pub struct Referee {}

impl Referee {
    /// A referee for a scene.
    pub fn new(_scene: &Scene) -> Self {
        Self {}
    }

    /// Judges one step from the states before and after, the loads and the reported contacts.
    pub fn judge(
        &mut self,
        _scene: &Scene,
        _before: &State,
        _after: &State,
        _loads: &Loads,
        _contacts: &[ContactRecord],
    ) -> Verdict {
        unimplemented!("skeleton")
    }
}
