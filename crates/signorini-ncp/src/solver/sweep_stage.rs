//! The first-order stage of a step: sweeps over the problem, linearized again a few times. They meet rough
//! tolerances without a matrix; what they do not reach is Newton's.

use crate::problem::ContactProblem;
use crate::solver::context::Context;
use crate::solver::iterate::Iterate;
use crate::solver::run::Run;
use crate::solver::stages::{Stages, balance};
use crate::solver::status::Phase;
use crate::solver::step_problem::{Hint, Query, StepProblem};
use crate::solver::sweeps::{self, Goal, Start};

/// Below this tolerance Newton's method needs no sweeps: they save it few iterations.
pub const SWEPT_ABOVE: f64 = 1e-5;
/// The same where there are manifolds.
const MANIFOLDS_SWEPT_ABOVE: f64 = 1e-4;
/// Islands with manifolds are swept from so many bodies on: Newton's method is as quick in smaller ones.
const MANIFOLDS_SWEPT_FROM: usize = 32;
/// Linearizations at most.
const ROUNDS: usize = 10;
/// Sweeps of one of them at most: Newton's method solves a hard step in the time of some thousands.
const MOST_SWEEPS: usize = 2000;
/// The same where there are manifolds. Their contact points come and go from round to round: what sweeps do
/// not reach in one they may in the next.
const MOST_OVER_MANIFOLDS: usize = 300;
/// What sweeps leave of the tolerance: the geometry moves the rest. Where that was too much, they go on to
/// half of it.
const GOAL: f64 = 0.8;
/// The same at the first linearization, which is that of the last step: geometry moves more…
const FIRST_GOAL: f64 = 3.0;
/// …and more than this part of the residual there, whatever the tolerance: unless Newton's method is to begin
/// where it ends.
const FIRST_PART: f64 = 0.03;
/// A smooth island is swept again after a round that ended short of its goal from this tolerance on; below it
/// Newton's method is quicker.
const AGAIN_ABOVE: f64 = 3e-4;
/// A round that leaves more than this part of the best residual has failed…
const FALL: f64 = 0.7;
/// …and so many in a row end the stage.
const FAILURES: usize = 2;

/// Whether a problem is swept before Newton's method.
pub fn is_swept(problem: &ContactProblem, run: &Run) -> bool {
    let is_worth = match problem.has_manifolds() {
        true => run.tolerance >= MANIFOLDS_SWEPT_ABOVE && problem.n_bodies() >= MANIFOLDS_SWEPT_FROM,
        false => run.tolerance >= SWEPT_ABOVE && problem.n_bodies() > run.methods.small_island,
    };
    run.methods.solve_by_sweeps && is_worth && sweeps::applies(problem)
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
        let tolerance = context.run.tolerance;
        context.info.residual = self.best.residual;
        if self.best.residual.max() <= context.run.accepted_start * tolerance {
            return;
        }
        let (mut failures, mut damps, mut is_start) = (0, false, true);
        let has_manifolds = problem.linearized().has_manifolds();
        let most = if has_manifolds { MOST_OVER_MANIFOLDS } else { MOST_SWEEPS };
        let again = has_manifolds || tolerance >= AGAIN_ABOVE;
        let least = if again { FIRST_PART * self.best.residual.max().min(1.0) } else { 0.0 };
        let mut part = FIRST_GOAL.max(least / tolerance);
        problem.hint(Hint::Sweeping(true));
        for round in 0..ROUNDS {
            let goal = Goal { residual: part * tolerance, most, stiff: round > 0, damps };
            problem.answer(Query::OverlapWeights(&mut self.overlap));
            let start = Start { x: &iterate.impulse, overlap: &self.overlap };
            let swept = self.sweeps.run(problem.linearized(), start, goal, &context.run, &mut self.trial);
            context.info.sweeps += swept.sweeps;
            iterate.copy_from(&self.trial);
            let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            context.info.residual = reached;
            tracing::trace!(round, swept.sweeps, swept.residual, reached = reached.max(), "swept");
            let falls = reached.max() < FALL * self.best.residual.max();
            failures = if falls || round == 0 { 0 } else { failures + 1 };
            damps |= failures > 0;
            if self.best.keep_if_better(iterate, reached) {
                is_start = false;
                context.info.phase = Phase::Sweeps;
            }
            let is_spent = swept.residual > goal.residual && !again || failures >= FAILURES;
            if reached.max() <= tolerance || reached.max().is_nan() || is_spent || context.run.is_late() {
                break;
            }
            part = if falls { part.min(GOAL) } else { 0.5 * part.min(GOAL) };
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
