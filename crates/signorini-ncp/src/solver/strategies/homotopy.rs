//! Strategy: central path from free motion, in small islands by the interior point, in large ones by the
//! length of the path.

use crate::solver::parameters::central_path::PATH_BELOW_TOLERANCE;
use crate::solver::parameters::proximal::AFTER_PATH_RHO;
use crate::solver::path::follow::PathAttempt;
use crate::solver::status::Phase;
use crate::solver::step_problem::StepProblem;
use crate::solver::strategies::state::{NewtonStart, Outcome, SolveState};

/// Tries the central path if it is due. The iterate and the best one move to the end of the path if that is
/// kept; the proximal Newton method starts there.
pub fn central_path(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Outcome {
    let rho = state.start_rho();
    let rho = follow_if_due(state, problem).map_or(rho, |least| rho.max(least));
    let (residual, stall_iterations) = (state.work.best.residual, state.context.options.stall_iterations);
    state.newton_start = NewtonStart { residual, rho, stall_iterations };
    Outcome::Next
}

/// Returns the least ρ of the proximal Newton method after a path that lowered the residual.
fn follow_if_due(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Option<f64> {
    let options = state.context.options;
    if options.tolerance >= PATH_BELOW_TOLERANCE {
        return None;
    }
    let before = state.work.best.residual;
    let linearized = problem.linearized();
    let follows = linearized.n_bodies() > options.methods.path_above_bodies
        && options.methods.path_iterations > 0
        && state.has_lu(linearized);
    let is_due = if follows {
        state.work.path.is_due(&before, linearized, &options.methods)
    } else {
        state.work.interior.is_due(&before, linearized, &options)
    };
    if !is_due {
        return None;
    }
    let SolveState { work, iterate, context, .. } = state;
    let residual = if follows {
        let attempt = PathAttempt { to_beat: before, weights: None, leads: false };
        work.path.run(problem, iterate, attempt, &mut work.active_set, context).0
    } else {
        work.interior.run(problem, iterate, before, &mut work.active_set, context)
    };
    let is_lower = residual.max() < before.max();
    context.info.phase = Phase::InteriorPoint;
    work.best.set(iterate, residual);
    (follows && is_lower).then_some(AFTER_PATH_RHO)
}
