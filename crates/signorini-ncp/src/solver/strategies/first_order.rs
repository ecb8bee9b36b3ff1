//! Strategies of first order: projected Gauss–Seidel sweeps of a step, which meet rough tolerances without a
//! matrix, and sweeps with ADMM of a cold solve.

use crate::problem::ContactProblem;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::strategy::{ADMM_ITERATIONS_COLD, FIRST_ORDER_ABOVE_RESIDUAL};
use crate::solver::parameters::sweeps::{
    FIRST_TARGET_FRACTION, FIRST_TARGET_OF_RESIDUAL, MAX_FAILED_LINEARIZATIONS, MAX_LINEARIZATIONS,
    MAX_SWEEPS, MAX_SWEEPS_COLD, MAX_SWEEPS_MANIFOLDS, REPEAT_ABOVE_TOLERANCE, SUFFICIENT_DECREASE,
    SWEEP_ABOVE_TOLERANCE, SWEEP_MANIFOLDS_ABOVE_TOLERANCE, SWEEP_MANIFOLDS_FROM_BODIES, TARGET_FRACTION,
};
use crate::solver::status::Phase;
use crate::solver::step_problem::{Hint, Query, StepProblem};
use crate::solver::strategies::state::{Outcome, SolveState};
use crate::solver::sweeps::{self, Start, SweepLimits};

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

/// Sweeps over the problem, linearized again a few times, if the problem is one that is swept.
pub fn gauss_seidel(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Outcome {
    if !is_swept(problem.linearized(), &state.context.options) {
        return Outcome::Next;
    }
    state.sweep(problem);
    if state.meets_tolerance() && state.context.info.sweeps > 0 {
        return Outcome::Converged;
    }
    // The set-up of Newton's method takes seconds in a large island, before its first iteration.
    if let Some(status) = state.context.options.limit(state.context.info) {
        return Outcome::Stop(status);
    }
    if sweeps::is_stiff(problem.linearized()) {
        state.context.options = state.context.options.after_failed_first_order();
    }
    Outcome::Next
}

/// Sweeps and ADMM of a cold solve. The iterate becomes the best one.
pub fn sweeps_and_admm(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Outcome {
    if state.work.best.residual.max() > FIRST_ORDER_ABOVE_RESIDUAL {
        for phase in [Phase::Sweeps, Phase::Admm] {
            if state.meets_tolerance() {
                break;
            }
            state.lower_by(phase, problem);
        }
    }
    state.iterate.copy_from(&state.work.best.iterate);
    Outcome::Next
}

impl SolveState<'_> {
    /// Runs one first-order method of a cold solve from the best iterate, which becomes the result if that
    /// lowers the true residual.
    fn lower_by(&mut self, phase: Phase, problem: &mut dyn StepProblem) {
        let Self { work, context, .. } = self;
        work.trial.copy_from(&work.best.iterate);
        let (linearized, trial) = (problem.linearized(), &mut work.trial);
        if phase == Phase::Sweeps {
            if !sweeps::applies(linearized) {
                return;
            }
            let x = std::mem::take(&mut trial.impulse);
            let residual = context.options.tolerance;
            let limits = SweepLimits { residual, most: MAX_SWEEPS_COLD, stiff: true, damps: false };
            let start = Start { x: &x, overlap: &[] };
            let swept = work.sweeps.run(linearized, start, limits, &context.options, trial);
            context.info.sweeps += swept.sweeps;
            context.info.count_passes(swept.sweeps, linearized);
        } else {
            // Without factors ADMM is left out; proximal Newton damps the matrix by ρ and may have factors.
            let _ = work.admm.run(linearized, trial, ADMM_ITERATIONS_COLD, &context.options, context.info);
        }
        let reached = problem.refresh(&work.trial.velocity, &mut work.trial.impulse);
        if work.best.keep_if_better(&work.trial, reached) {
            context.info.phase = phase;
        } else {
            problem.refresh(&work.best.iterate.velocity, &mut work.best.iterate.impulse);
        }
    }

    /// Sweeps from the best iterate, where the problem is linearized; the iterate and the best one end as the
    /// iterate of the lowest true residual. A start that is still the best is balanced in momentum if the
    /// caller linearized the problem.
    fn sweep(&mut self, problem: &mut dyn StepProblem) {
        let Self { iterate, work, context, .. } = self;
        let tolerance = context.options.tolerance;
        context.info.residual = work.best.residual;
        if work.best.residual.max() <= context.options.accepted_start * tolerance {
            return;
        }
        let (mut failures, mut damps, mut is_start) = (0, false, true);
        let mut target = SweepTarget::new(problem.linearized(), work.best.residual.max(), tolerance);
        problem.hint(Hint::Sweeping(true));
        for round in 0..MAX_LINEARIZATIONS {
            let limits = target.limits(round > 0, damps);
            problem.answer(Query::OverlapWeights(&mut work.overlap));
            let start = Start { x: &iterate.impulse, overlap: &work.overlap };
            let swept =
                work.sweeps.run(problem.linearized(), start, limits, &context.options, &mut work.trial);
            context.info.sweeps += swept.sweeps;
            context.info.count_passes(swept.sweeps, problem.linearized());
            context.info.count_refreshes(problem);
            iterate.copy_from(&work.trial);
            let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            context.info.residual = reached;
            tracing::trace!(round, swept.sweeps, swept.residual, reached = reached.max(), "swept");
            let falls = reached.max() < SUFFICIENT_DECREASE * work.best.residual.max();
            failures = if falls || round == 0 { 0 } else { failures + 1 };
            damps |= failures > 0;
            if work.best.keep_if_better(iterate, reached) {
                is_start = false;
                context.info.phase = Phase::Sweeps;
            }
            let is_spent =
                swept.residual > limits.residual && !target.repeats || failures >= MAX_FAILED_LINEARIZATIONS;
            let is_over = reached.max() <= tolerance || reached.max().is_nan() || is_spent;
            if is_over || context.options.limit(context.info).is_some() {
                break;
            }
            target.tighten(falls);
        }
        problem.hint(Hint::Sweeping(false));
        self.return_to_best(problem);
        if is_start && self.starts_linearized {
            self.iterate.balance(problem.linearized());
            let residual = problem.refresh(&self.iterate.velocity, &mut self.iterate.impulse);
            self.context.info.residual = residual;
            self.work.best.set(self.iterate, residual);
        }
    }
}

/// Target residual of the sweeps over one linearization.
struct SweepTarget {
    tolerance: f64,
    /// Target residual over the tolerance.
    fraction: f64,
    /// Sweeps per linearization at most.
    most: usize,
    /// Whether a linearization that missed its target is followed by another.
    repeats: bool,
}

impl SweepTarget {
    /// Target of the first linearization, from the residual of the start.
    fn new(problem: &ContactProblem, start: f64, tolerance: f64) -> Self {
        let has_manifolds = problem.has_manifolds();
        let most = if has_manifolds { MAX_SWEEPS_MANIFOLDS } else { MAX_SWEEPS };
        let repeats = has_manifolds || tolerance >= REPEAT_ABOVE_TOLERANCE;
        let least = if repeats { FIRST_TARGET_OF_RESIDUAL * start.min(1.0) } else { 0.0 };
        let fraction = FIRST_TARGET_FRACTION.max(least / tolerance);
        Self { tolerance, fraction, most, repeats }
    }

    fn limits(&self, stiff: bool, damps: bool) -> SweepLimits {
        SweepLimits { residual: self.fraction * self.tolerance, most: self.most, stiff, damps }
    }

    /// Target of the next linearization: half of it after one that did not lower the residual.
    fn tighten(&mut self, falls: bool) {
        let usual = self.fraction.min(TARGET_FRACTION);
        self.fraction = if falls { usual } else { 0.5 * usual };
    }
}
