//! The first-order stage of a step: sweeps over the problem, linearized again a few times. They meet rough
//! tolerances without a matrix; what they do not reach is Newton's.

use crate::problem::ContactProblem;
use crate::solver::context::Context;
use crate::solver::iterate::Iterate;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::sweeps::{
    FIRST_TARGET_FRACTION, FIRST_TARGET_OF_RESIDUAL, MAX_FAILED_LINEARIZATIONS, MAX_LINEARIZATIONS,
    MAX_SWEEPS, MAX_SWEEPS_MANIFOLDS, REPEAT_ABOVE_TOLERANCE, SUFFICIENT_DECREASE, SWEEP_ABOVE_TOLERANCE,
    SWEEP_MANIFOLDS_ABOVE_TOLERANCE, SWEEP_MANIFOLDS_FROM_BODIES, TARGET_FRACTION,
};
use crate::solver::stages::{Stages, balance};
use crate::solver::status::Phase;
use crate::solver::step_problem::{Hint, Query, StepProblem};
use crate::solver::sweeps::{self, Goal, Start};

/// Whether a problem is swept before Newton's method.
pub fn is_swept(problem: &ContactProblem, options: &SolveOptions) -> bool {
    let is_worth = match problem.has_manifolds() {
        true => {
            options.tolerance >= SWEEP_MANIFOLDS_ABOVE_TOLERANCE
                && problem.n_bodies() >= SWEEP_MANIFOLDS_FROM_BODIES
        }
        false => {
            options.tolerance >= SWEEP_ABOVE_TOLERANCE && problem.n_bodies() > options.methods.small_island
        }
    };
    options.methods.solve_by_sweeps && is_worth && sweeps::applies(problem)
}

impl Stages {
    /// Sweeps from the best iterate, where the problem is linearized; `iterate` and the best end as what has
    /// the lowest true residual. A start that is still the best is balanced in momentum if `balances`.
    pub fn sweep(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        balances: bool,
        context: &mut Context<'_>,
    ) {
        let tolerance = context.options.tolerance;
        context.info.residual = self.best.residual;
        if self.best.residual.max() <= context.options.accepted_start * tolerance {
            return;
        }
        let (mut failures, mut damps, mut is_start) = (0, false, true);
        let has_manifolds = problem.linearized().has_manifolds();
        let most = if has_manifolds { MAX_SWEEPS_MANIFOLDS } else { MAX_SWEEPS };
        let again = has_manifolds || tolerance >= REPEAT_ABOVE_TOLERANCE;
        let least = if again { FIRST_TARGET_OF_RESIDUAL * self.best.residual.max().min(1.0) } else { 0.0 };
        let mut part = FIRST_TARGET_FRACTION.max(least / tolerance);
        problem.hint(Hint::Sweeping(true));
        for round in 0..MAX_LINEARIZATIONS {
            let goal = Goal { residual: part * tolerance, most, stiff: round > 0, damps };
            problem.answer(Query::OverlapWeights(&mut self.overlap));
            let start = Start { x: &iterate.impulse, overlap: &self.overlap };
            let swept = self.sweeps.run(problem.linearized(), start, goal, &context.options, &mut self.trial);
            context.info.sweeps += swept.sweeps;
            iterate.copy_from(&self.trial);
            let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            context.info.residual = reached;
            tracing::trace!(round, swept.sweeps, swept.residual, reached = reached.max(), "swept");
            let falls = reached.max() < SUFFICIENT_DECREASE * self.best.residual.max();
            failures = if falls || round == 0 { 0 } else { failures + 1 };
            damps |= failures > 0;
            if self.best.keep_if_better(iterate, reached) {
                is_start = false;
                context.info.phase = Phase::Sweeps;
            }
            let is_spent = swept.residual > goal.residual && !again || failures >= MAX_FAILED_LINEARIZATIONS;
            if reached.max() <= tolerance || reached.max().is_nan() || is_spent || context.options.is_late() {
                break;
            }
            part = if falls { part.min(TARGET_FRACTION) } else { 0.5 * part.min(TARGET_FRACTION) };
        }
        problem.hint(Hint::Sweeping(false));
        self.return_to_best(problem, iterate, context.info);
        if is_start && balances {
            balance(problem.linearized(), iterate);
            context.info.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            self.best.set(iterate, context.info.residual);
        }
    }
}
