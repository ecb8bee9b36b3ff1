//! What a pair remembers under the staggered integrator.

use signorini_geometry::Velocity;
use signorini_kernels::wrench::WrenchPoint;
use nalgebra::Vector3;

/// A pair under the staggered integrator: impulses act at the blend (1 − θ) start + θ end of its geometry.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Stagger {
    /// θ: 0 second order, 1 implicit Euler.
    pub theta: f64,
    /// Whether nothing was transmitted in the last step.
    pub was_open: bool,
    /// At the start of the step; of a flat pair the contact points' mean by their impulses now.
    pub start: WrenchPoint<f64>,
    /// See [`Pair::grain`], at the start of the step.
    pub grain: Option<Vector3<f64>>,
    /// Velocities of A and B in the last step, if the contact slid.
    pub sliding: Option<[Velocity; 2]>,
    /// In how many steps on end it slid.
    pub n_slid: u32,
    /// By how much slip (e_t v_t, e_o v_o, e_r ω_n) turned in the last step, as a rotation vector in the
    /// contact's frame (rad); 0 when the contact did not slide before.
    pub slip_turn: Vector3<f64>,
    /// Where sliding is to end within the next step: the mean of the slip left in it, in the contact's frame
    /// (m/s); else 0.
    pub last_slip: Vector3<f64>,
    /// `slip_turn` as this step used it.
    pub slip_turn_used: Vector3<f64>,
    /// `last_slip` as this step used it.
    pub last_slip_used: Vector3<f64>,
}
