//! Rolling resistance at one recorded contact (theory §14): a couple m on B in the contact plane, at most
//! ρ p_n, against the rolling velocity.
//!
//! With the rolling velocity ω, the part of ω_b − ω_a in the contact plane,
//! m = Proj_{|·| ≤ ρ p_n}(m − ω / D), D the mean of the effective inverse inertias about two axes in it.

use super::judged_step::JudgedStep;
use crate::step::ContactRecord;
use nalgebra::Vector3;

/// Findings of the referee on rolling resistance, in N s: couples over the smaller size.
#[derive(Debug, Clone, Copy, Default)]
pub struct RollingFinding {
    /// Natural map |m − Proj(m − ω / D)|.
    pub natural_map: f64,
    /// Part of the couple along the normal; all of it where nothing resists rolling.
    pub misplaced: f64,
    /// Work (J) that a natural map of one unit of impulse could do at the contact.
    pub work_per_residual: f64,
}

/// Judges the couple of a contact whose pair resists rolling with the length ρ (m); `spin` is ω_b − ω_a of
/// the surfaces, which counts `emphasis` times.
pub fn judge_rolling(
    contact: &ContactRecord,
    rolling: f64,
    spin: &Vector3<f64>,
    step: &JudgedStep<'_>,
    emphasis: f64,
) -> RollingFinding {
    let (couple, size) = (contact.rolling_impulse, step.smaller_size(contact));
    if rolling == 0.0 {
        let misplaced = if couple == Vector3::zeros() { 0.0 } else { couple.norm() / size };
        return RollingFinding { misplaced, ..RollingFinding::default() };
    }
    let n = &contact.normal;
    let tangential = |v: &Vector3<f64>| v - n * n.dot(v);
    let inverse = step.bodies[contact.body_a].inverse_inertia + step.bodies[contact.body_b].inverse_inertia;
    let mean = 0.5 * (inverse.trace() - n.dot(&(inverse * n)));
    let (bound, velocity) = (rolling * contact.pressing().max(0.0), tangential(spin));
    let argument = tangential(&couple) - velocity * (emphasis / mean);
    let length = argument.norm();
    let projected = if length <= bound { argument } else { argument * (bound / length) };
    RollingFinding {
        natural_map: (tangential(&couple) - projected).norm() / size,
        misplaced: n.dot(&couple).abs() / size,
        work_per_residual: size * velocity.norm() + bound * size * mean,
    }
}
