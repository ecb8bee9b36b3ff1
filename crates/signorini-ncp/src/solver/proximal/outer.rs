//! The production method: exact-Coulomb proximal point with an adaptive parameter, Newton inside, geometry
//! refreshed once per proximal step (theory §6.1).
//!
//! One proximal step solves, for the linearized problem,
//! F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r y(v)):
//! the impulses are eliminated at the penalty scale, which is what globalises.

use crate::problem::ContactProblem;
use crate::solver::info::Times;
use crate::solver::iterate::Best;
use crate::solver::iterate::Iterate;
use crate::solver::law::{Law, Proximal};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::proximal::{
    ACTIVE_SET_BELOW_RESIDUAL, AT_REST_BELOW_RESIDUAL, AT_REST_TOLERANCE, CERTIFICATE_CHECK_EVERY,
    GEOMETRY_DECREASE, INNER_TOLERANCE, MAX_GEOMETRY_HALVINGS, MAX_GROWTH_CONVERGED, MAX_GROWTH_UNCONVERGED,
    MIN_EQUATION_RHO, MIN_RHO, OVER_RELAX_ABOVE, OVER_RELAXATION, RHO_CUT,
};
use crate::solver::proximal::active_set::{self, ActiveSet};
use crate::solver::proximal::infeasibility::InfeasibilityCertificate;
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::inner::{Inner, InnerTarget};
use crate::solver::proximal::penalty::next_rho;
use crate::solver::residual::Residual;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;

/// The method with its workspace.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    best: Best,
    next: Iterate,
    /// x̂: the impulses of the iterate, or over-relaxed ones.
    centre: Vec<f64>,
    previous_impulse: Vec<f64>,
    certificate: InfeasibilityCertificate,
}

/// Start of an attempt, beside its iterate.
#[derive(Debug, Clone, Copy)]
pub struct ProximalStart {
    /// Residual of the iterate, where the problem is linearized.
    pub residual: Residual,
    /// The proximal parameter.
    pub rho: f64,
    /// Newton iterations at most.
    pub iterations: usize,
    /// Outer iterations without halving the best residual before the attempt counts as stuck.
    pub stall_iterations: usize,
}

/// How an attempt went so far.
struct Attempt {
    rho: f64,
    residual: Residual,
    progress: Progress,
    tries: Tries,
}

impl ProximalNewton {
    /// Solves from `iterate`, which ends as the best iterate found (and the problem linearized there).
    /// Returns how it ended.
    pub fn run(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        start: ProximalStart,
        active_set: &mut ActiveSet,
        context: &mut Context<'_>,
    ) -> SolveStatus {
        prepare(problem.linearized(), active_set, context);
        let residual = start.residual;
        self.best.set(iterate, residual);
        self.centre.clone_from(&iterate.impulse);
        let progress = Progress { milestone: (0, residual.max()), outer: 0 };
        let mut attempt = Attempt { rho: start.rho, residual, progress, tries: Tries::default() };
        let first_iteration = context.info.iterations;
        self.certificate.begin();
        let status = loop {
            let accepted = if attempt.progress.outer == 0 { context.options.accepted_start } else { 1.0 };
            let spent = context.info.iterations - first_iteration;
            if let Some(status) = self.ended(&attempt, accepted, spent, &start, context) {
                break status;
            }
            if attempt.progress.is_time_to_check()
                && self.certificate.check(problem.linearized(), &iterate.impulse)
            {
                break SolveStatus::Infeasible;
            }
            if attempt.tries.is_due(&attempt.residual, problem.linearized(), &context.options)
                && self.try_statuses(problem, iterate, &mut attempt, active_set, context)
            {
                continue;
            }
            if let Err(status) = self.step(problem, iterate, &mut attempt, context) {
                break status;
            }
        };
        if status != SolveStatus::Solved {
            iterate.copy_from(&self.best.iterate);
            attempt.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        context.info.residual = attempt.residual;
        status
    }

    /// Newton on the statuses of the natural map; returns whether that solved the problem.
    fn try_statuses(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        attempt: &mut Attempt,
        active_set: &mut ActiveSet,
        context: &mut Context<'_>,
    ) -> bool {
        let lower = active_set.run(problem, iterate, attempt.residual, context);
        attempt.tries.note(lower.max() <= 0.5 * attempt.residual.max());
        attempt.residual = lower;
        self.centre.clone_from(&iterate.impulse);
        self.keep(iterate, attempt);
        lower.max() <= context.options.tolerance
    }

    /// One proximal step.
    ///
    /// # Errors
    /// When there are no factors however small ρ.
    fn step(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        attempt: &mut Attempt,
        context: &mut Context<'_>,
    ) -> Result<(), SolveStatus> {
        attempt.progress.outer += 1;
        let (before, rho) = (attempt.residual.max(), attempt.rho);
        let tolerance = context.options.tolerance;
        let mut accuracy = INNER_TOLERANCE * before;
        if attempt.progress.outer == 1 && before < AT_REST_BELOW_RESIDUAL {
            accuracy = accuracy.min(AT_REST_TOLERANCE * tolerance);
        }
        context.info.count_refreshes(problem);
        let linearized = problem.linearized();
        let (centre, weight, equation_rho) = (&self.centre, &linearized.at.weight, rho.max(MIN_EQUATION_RHO));
        let target = InnerTarget { proximal: Proximal { centre, weight, rho, equation_rho }, accuracy };
        let Context { options, info, newton } = context;
        let inner = newton.proximal_step(linearized, &target, options, info);
        newton.take_point(&mut self.next);
        if inner.broken {
            attempt.rho *= RHO_CUT;
            return if attempt.rho < MIN_RHO { Err(SolveStatus::FactorizationFailed) } else { Ok(()) };
        }
        match self.accept(problem, iterate, &inner, before, rho) {
            Ok(reached) => attempt.residual = reached,
            Err(unchanged) => {
                attempt.rho = (rho * RHO_CUT).max(MIN_RHO);
                attempt.tries.n_failures += 1;
                attempt.residual = unchanged;
                return Ok(());
            }
        }
        attempt.rho = next_rho(rho, inner.converged, inner.iterations);
        attempt.tries.n_failures += usize::from(!inner.converged);
        self.keep(iterate, attempt);
        // A solved iterate stays as it was certified.
        let reached = attempt.residual.max();
        if reached > tolerance && reached > OVER_RELAX_ABOVE * before && inner.converged {
            self.over_relax(problem.linearized());
        }
        Ok(())
    }

    fn ended(
        &self,
        attempt: &Attempt,
        accepted: f64,
        spent: usize,
        start: &ProximalStart,
        context: &Context<'_>,
    ) -> Option<SolveStatus> {
        let options = &context.options;
        let limit = options.limit(context.info);
        let (residual, progress) = (attempt.residual.max(), &attempt.progress);
        if residual <= options.tolerance * accepted {
            Some(SolveStatus::Solved)
        } else if residual.is_nan() && self.best.residual.max().is_nan() {
            Some(SolveStatus::NonFinite)
        } else if spent >= start.iterations {
            Some(SolveStatus::MaxIterations)
        } else if limit.is_some() {
            limit
        } else if progress.outer - progress.milestone.0 > start.stall_iterations {
            Some(SolveStatus::Stalled)
        } else {
            None
        }
    }

    /// Keeps the iterate if it is the best so far, and notes when the best residual was halved.
    fn keep(&mut self, iterate: &Iterate, attempt: &mut Attempt) {
        self.best.keep_if_better(iterate, attempt.residual);
        attempt.progress.note(self.best.residual.max());
    }

    /// Refreshes the geometry at the proximal point and takes it over unless that raised the true residual
    /// too far; then the iterate stays, linearized again (the features met on the way may have changed its
    /// residual).
    fn accept(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        inner: &Inner,
        before: f64,
        rho: f64,
    ) -> Result<Residual, Residual> {
        let mut reached = problem.refresh(&self.next.velocity, &mut self.next.impulse);
        tracing::trace!(rho, inner.iterations, inner.converged, before, reached = reached.max());
        let limit = before * if inner.converged { MAX_GROWTH_CONVERGED } else { MAX_GROWTH_UNCONVERGED };
        if inner.converged && reached.exceeds(limit) {
            reached = self.shorten(problem, iterate, before);
        }
        // At the floor of ρ the step only restores the momentum balance. It is taken even if that shows a
        // larger residual: from an iterate out of balance every smaller step is rejected for ever.
        if reached.exceeds(limit) && rho > MIN_RHO {
            let unchanged = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            self.centre.clone_from(&iterate.impulse);
            return Err(unchanged);
        }
        self.previous_impulse.clone_from(&iterate.impulse);
        iterate.copy_from(&self.next);
        self.centre.clone_from(&iterate.impulse);
        Ok(reached)
    }

    /// The linearized problem was solved but the geometry at its solution raised the residual: shorten the
    /// step from the iterate until the residual falls. Leaves the shortened step in `self.next`, linearized
    /// there.
    fn shorten(&mut self, problem: &mut dyn StepProblem, iterate: &Iterate, before: f64) -> Residual {
        let mut reached = Residual::default();
        for halving in 1..=MAX_GEOMETRY_HALVINGS {
            let blend = |next: &mut [f64], from: &[f64]| {
                for (n, f) in next.iter_mut().zip(from) {
                    *n = 0.5 * (*n + f);
                }
            };
            blend(&mut self.next.velocity, &iterate.velocity);
            blend(&mut self.next.impulse, &iterate.impulse);
            reached = problem.refresh(&self.next.velocity, &mut self.next.impulse);
            if reached.max() <= (1.0 - GEOMETRY_DECREASE * 0.5_f64.powi(halving)) * before {
                return reached;
            }
        }
        Residual { momentum: f64::NAN, ..reached }
    }

    /// x̂ := x + ω (x − x_previous), kept in the cone (theory (6.6)).
    fn over_relax(&mut self, problem: &ContactProblem) {
        for (x, old) in self.centre.iter_mut().zip(&self.previous_impulse) {
            *x += OVER_RELAXATION * (*x - old);
        }
        Law::move_into_cones(problem, &mut self.centre);
    }
}

/// Takes over the contact graph.
fn prepare(problem: &ContactProblem, active_set: &mut ActiveSet, context: &mut Context<'_>) {
    let n = problem.n_bodies();
    let begun = Times::stamp(n);
    context.newton.prepare(problem, &context.options);
    active_set.resize(problem);
    context.info.times.factor += Times::between(begun, Times::stamp(n));
}

/// When Newton on the statuses of the natural map is tried: where the residual is low, at first at once, then
/// after more and more failures of the proximal steps.
#[derive(Default)]
struct Tries {
    n_failures: usize,
    wait: usize,
}

impl Tries {
    fn is_due(&self, residual: &Residual, problem: &ContactProblem, options: &SolveOptions) -> bool {
        residual.max() < ACTIVE_SET_BELOW_RESIDUAL
            && self.n_failures >= self.wait
            && options.methods.active_set_iterations > 0
            && active_set::applies(problem)
    }

    fn note(&mut self, has_lowered: bool) {
        self.n_failures = 0;
        self.wait = if has_lowered { 0 } else { (2 * self.wait).max(1) };
    }
}

/// How far an attempt has come.
struct Progress {
    /// Outer iteration and value of the last halving of the best residual.
    milestone: (usize, f64),
    outer: usize,
}

impl Progress {
    fn is_time_to_check(&self) -> bool {
        let idle = self.outer - self.milestone.0;
        idle > 0 && idle.is_multiple_of(CERTIFICATE_CHECK_EVERY)
    }

    fn note(&mut self, best: f64) {
        if best <= 0.5 * self.milestone.1 || self.milestone.1.is_nan() {
            self.milestone = (self.outer, best);
        }
    }
}
