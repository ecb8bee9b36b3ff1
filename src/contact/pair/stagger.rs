//! Data of a pair under the staggered integrator.

use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::wrench::WrenchPoint;

/// A pair under the staggered integrator: impulses act at the blend (1 − θ) start + θ end of its geometry.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Stagger {
    /// θ: 0 second order, 1 implicit Euler.
    pub theta: f64,
    /// Whether nothing was transmitted in the last step.
    pub was_open: bool,
    /// Acting point at the start of the step; of a flat pair the mean of the contact points by their current
    /// impulses.
    pub start: WrenchPoint<f64>,
    /// Friction direction at the start of the step, see `Pair::friction_direction`.
    #[serde(rename = "grain")]
    pub friction_direction: Option<Vector3<f64>>,
    /// Velocities of A and B in the last step, if the contact slid.
    pub sliding: Option<[Velocity; 2]>,
    /// Number of consecutive steps in which the contact slid.
    pub n_slid: u32,
    /// Turn of slip (e_t v_t, e_o v_o, e_r ω_n) in the last step, as a rotation vector in the contact's frame
    /// (rad); 0 when the contact did not slide before.
    pub slip_turn: Vector3<f64>,
    /// Mean of the slip left in the next step, in the contact's frame (m/s), where sliding is to end within
    /// it; else 0.
    pub last_slip: Vector3<f64>,
    /// Value of `slip_turn` that this step used.
    pub slip_turn_used: Vector3<f64>,
    /// Value of `last_slip` that this step used.
    pub last_slip_used: Vector3<f64>,
}
