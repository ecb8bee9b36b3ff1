//! Strategy: proximal Newton method from the iterate.

use crate::solver::proximal::outer::ProximalStart;
use crate::solver::status::{Phase, SolveStatus};
use crate::solver::step_problem::StepProblem;
use crate::solver::strategies::state::{NewtonStart, Outcome, SolveState};

/// Runs the proximal Newton method until it converges, stops or is stuck, then returns to the best iterate.
/// Stuck attempts go on to the next strategy.
pub fn proximal_newton(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Outcome {
    let before = state.context.info.iterations;
    let iterations = state.iterations_left();
    let NewtonStart { residual, rho, stall_iterations } = state.newton_start;
    let start = ProximalStart { residual, rho, iterations, stall_iterations };
    let SolveState { work, iterate, context, .. } = state;
    let status = work.proximal.run(problem, iterate, start, &mut work.active_set, context);
    if context.info.iterations > before {
        context.info.phase = if context.info.restarts > 0 { Phase::Restart } else { Phase::Newton };
    }
    if status == SolveStatus::Solved {
        return Outcome::Converged;
    }
    state.return_to_best(problem);
    if state.meets_tolerance() {
        return Outcome::Converged;
    }
    match status {
        SolveStatus::Stalled | SolveStatus::FactorizationFailed => {
            state.stuck = status;
            Outcome::Next
        }
        _ => Outcome::Stop(status),
    }
}
