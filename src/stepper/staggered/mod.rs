//! The staggered integrator: second order where contacts last, at the price of the first-order step.
//!
//! The one velocity of a step takes the pose from its start to its end, V = Δq/h, and belongs to its middle.
//! Gaps and joints hold at the end pose; impulses act at the start pose, where the last step ended:
//! ```text
//! m v − m v₋ = h_k f + Σ P,     I_mid ω − l₋ = h_k τ + Σ r_W × P
//! h_k = (h₋ + h)/2,     h₋ = 0 before the first step
//! I_mid = R_m I R_mᵀ, R_m = exp(h ω/2) R,     l₋ = I_mid ω of the last step
//! P = n_W p_n + T_W p_t,  n_W, r_W = (1 − θ) start + θ end
//! u = v + ω × [(1 − θ)/2 r_start + (1 + θ)/2 r_end] in the plane of the normal blended alike
//! p_t = Proj(p_t − ρ Q (u − u_end))
//! ```
//! Q turns slip back by half of what its direction turned in the last step, where the contact slides for
//! longer; u_end is the mean slip of the step in which sliding ends, 0 in others. θ = 1 is implicit Euler:
//! for contacts that were open and those of bodies on which one closes, for flat pairs, and, blended in, for
//! rolling oscillations that h does not resolve: θ = clip((χ − ½)/1.5, 0, 1), χ = h² times the largest
//! eigenvalue of I_c⁻¹ K. No velocity of the end is ever formed, so that nothing rings.

mod impacts;
mod joints;
mod pairs;
mod workspace;

pub(super) use joints::begin_joints;
pub(super) use pairs::begin_pairs;
pub use workspace::Workspace;

use signorini_geometry::Velocity;

/// Velocities at the start of a step, half way between those of two steps (of the middles before and after).
pub fn mean(before: &Velocity, after: &Velocity) -> Velocity {
    Velocity { linear: (before.linear + after.linear) * 0.5, angular: (before.angular + after.angular) * 0.5 }
}
