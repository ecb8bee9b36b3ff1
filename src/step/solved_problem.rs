//! The linear problem that the solution of a step solves.

use super::substep::{Span, StepPhase};
use signorini_ncp::problem::ContactProblem;

/// The problem of an island in a step, a substep or a phase of an impact, linearized at its solution.
#[derive(Debug, Clone)]
pub struct SolvedProblem {
    /// Bodies, by their place in the scene: six unknowns each.
    pub bodies: Vec<usize>,
    /// Part of the step in which the impulses act.
    pub span: Span,
    /// Phase of that part.
    pub phase: StepPhase,
    /// A v = b + Jᵀ x, y = y_k + J (v − v_k), where v_k are the velocities of the solution.
    pub problem: ContactProblem,
    /// Impulses of the solution (N s).
    pub impulse: Vec<f64>,
}
