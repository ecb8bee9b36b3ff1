//! The production method: exact-Coulomb proximal point with an adaptive parameter, Newton inside, geometry
//! refreshed once per proximal step (theory §6.1).
//!
//! One proximal step solves, for the frozen problem,
//! F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r y(v)):
//! the impulses are eliminated at the penalty scale, which is what globalises. Small ρ is damped and robust,
//! large ρ is exact Newton.

use crate::linalg::BlockKrylov;
use crate::problem::ContactProblem;
use crate::solver::active_set::{self, ActiveSet};
use crate::solver::info::{Info, Times};
use crate::solver::interior_point::method::InteriorPoint;
use crate::solver::iterate::Iterate;
use crate::solver::law::{Law, Proximal};
use crate::solver::path::follow::PathFollower;
use crate::solver::proximal::inner::{Inner, InnerNewton};
use crate::solver::residual::Residual;
use crate::solver::settings::CoreSettings;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;
use std::sync::Arc;
use std::time::Instant;

/// ρ of equations at least.
const EQUATION_RHO: f64 = 1e4;

/// The method with its workspace; the factor is remembered from one solve to the next.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    pub(crate) inner: InnerNewton,
    pub(crate) active_set: ActiveSet,
    pub(crate) interior: InteriorPoint,
    pub(crate) path: PathFollower,
    /// Where Newton on the statuses goes from a point of the central path.
    pub(crate) candidate: Iterate,
    best: Iterate,
    next: Iterate,
    /// x̂: the impulses of the iterate, or over-relaxed ones.
    centre: Vec<f64>,
    previous_impulse: Vec<f64>,
}

/// What the outer loop may still spend.
pub struct Budget {
    /// Newton iterations.
    pub iterations: usize,
    /// Wall clock end, if any.
    pub deadline: Option<Instant>,
    /// Outer iterations without halving the best residual before the attempt counts as stuck.
    pub patience: usize,
}

impl ProximalNewton {
    /// Who solves iteratively from now on.
    pub fn use_krylov(&mut self, krylov: Option<Arc<dyn BlockKrylov>>) {
        self.inner.use_krylov(krylov);
    }

    /// Solves to `tolerance` from `iterate`, where the problem is frozen with the residual `start`, and which
    /// ends as the best iterate found (and the problem frozen there). `rho` is the starting proximal
    /// parameter and ends as the last one.
    pub fn solve(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        start: Residual,
        rho: &mut f64,
        tolerance: f64,
        budget: &Budget,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> SolveStatus {
        let mut residual = self.prepare(problem, iterate, start, settings, info);
        self.best.copy_from(iterate);
        self.centre.clone_from(&iterate.impulse);
        let mut progress = Progress { best: residual, milestone: (0, residual.max()), outer: 0 };
        let mut tries = Tries::default();
        let first_iteration = info.iterations;
        let status = loop {
            let goal = tolerance * if progress.outer == 0 { settings.accepted_start } else { 1.0 };
            if let Some(status) = progress.ended(&residual, goal, info.iterations - first_iteration, budget) {
                break status;
            }
            if tries.is_due(&residual, problem.frozen(), settings) {
                let lower = self.try_active_set(
                    problem,
                    iterate,
                    residual,
                    tolerance,
                    budget.deadline,
                    settings,
                    info,
                );
                tries.note(lower.max() <= 0.5 * residual.max());
                residual = lower;
                self.centre.clone_from(&iterate.impulse);
                if progress.improved(&residual) {
                    self.best.copy_from(iterate);
                }
                if residual.max() <= tolerance {
                    continue;
                }
            }
            progress.outer += 1;
            let before = residual.max();
            let (frozen, pairs) = problem.parts();
            let (centre, weight, equation_rho) = (&self.centre, &frozen.at.weight, rho.max(EQUATION_RHO));
            let proximal = Proximal { centre, weight, rho: *rho, equation_rho };
            let mut goal = settings.inner_accuracy * before;
            if progress.outer == 1 && before < settings.rest_below {
                goal = goal.min(settings.rest_accuracy * tolerance);
            }
            let (next, deadline) = (&mut self.next, budget.deadline);
            let inner =
                self.inner.proximal_step(frozen, pairs, &proximal, goal, next, deadline, settings, info);
            if inner.lost {
                // From the last refresh it goes on here.
                residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
                continue;
            }
            if inner.broken {
                *rho *= settings.rho_cut;
                if *rho < settings.smallest_rho {
                    break SolveStatus::FactorizationFailed;
                }
                continue;
            }
            let accepted = self.accept(problem, iterate, &inner, before, *rho, settings);
            residual = match accepted {
                Ok(reached) => reached,
                Err(unchanged) => {
                    *rho = (*rho * settings.rho_cut).max(settings.smallest_rho);
                    tries.n_failures += 1;
                    residual = unchanged;
                    continue;
                }
            };
            *rho = next_rho(*rho, &inner, settings);
            tries.n_failures += usize::from(!inner.converged);
            if progress.improved(&residual) {
                self.best.copy_from(iterate);
            }
            // A solved iterate stays as it was certified.
            let unsolved = residual.max() > tolerance;
            if unsolved && residual.max() > settings.slow_progress * before && inner.converged {
                self.over_relax(problem.frozen(), settings);
            }
        };
        if status != SolveStatus::Solved {
            iterate.copy_from(&self.best);
            residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        info.residual = residual;
        status
    }

    /// Takes over the contact graph. Rows on a device are fetched if the linear solver looks at them.
    fn prepare(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        start: Residual,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Residual {
        let n = problem.frozen().n_bodies();
        let begun = Times::stamp(n);
        self.inner.prepare(problem.frozen(), settings);
        self.active_set.resize(problem.frozen());
        info.times.factor += Times::between(begun, Times::stamp(n));
        if !self.inner.system.needs_rows() || problem.parts().1.is_none() {
            return start;
        }
        problem.fetch_rows();
        problem.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// Refreshes the geometry at the proximal point and takes it over unless that raised the true residual
    /// too far; then the iterate stays, frozen again (the features met on the way may have changed its
    /// residual).
    fn accept(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        inner: &Inner,
        before: f64,
        rho: f64,
        settings: &CoreSettings,
    ) -> Result<Residual, Residual> {
        let mut reached = problem.refresh(&self.next.velocity, &mut self.next.impulse);
        tracing::trace!(rho, inner.iterations, inner.converged, before, reached = reached.max());
        let limit = before
            * if inner.converged { settings.accepted_growth } else { settings.accepted_growth_unconverged };
        if inner.converged && reached.exceeds(limit) {
            reached = self.shorten(problem, iterate, before, settings);
        }
        // At the floor of ρ the step only restores the momentum balance. It is taken even if that shows a
        // larger residual: from an iterate out of balance every smaller step is rejected for ever.
        if reached.exceeds(limit) && rho > settings.smallest_rho {
            let unchanged = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            self.centre.clone_from(&iterate.impulse);
            return Err(unchanged);
        }
        self.previous_impulse.clone_from(&iterate.impulse);
        iterate.copy_from(&self.next);
        self.centre.clone_from(&iterate.impulse);
        Ok(reached)
    }

    /// The frozen problem was solved but the geometry at its solution raised the residual: shorten the step
    /// from the iterate until the residual falls. Leaves the shortened step in `self.next`, frozen there.
    fn shorten(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &Iterate,
        before: f64,
        settings: &CoreSettings,
    ) -> Residual {
        let mut reached = Residual::default();
        for halving in 1..=settings.geometry_halvings {
            let blend = |next: &mut [f64], from: &[f64]| {
                for (n, f) in next.iter_mut().zip(from) {
                    *n = 0.5 * (*n + f);
                }
            };
            blend(&mut self.next.velocity, &iterate.velocity);
            blend(&mut self.next.impulse, &iterate.impulse);
            reached = problem.refresh(&self.next.velocity, &mut self.next.impulse);
            if reached.max() <= (1.0 - 0.1 * 0.5_f64.powi(halving)) * before {
                return reached;
            }
        }
        Residual { momentum: f64::NAN, ..reached }
    }

    /// x̂ := x + ω (x − x_previous), kept in the cone (theory (6.6)).
    fn over_relax(&mut self, problem: &ContactProblem, settings: &CoreSettings) {
        for (x, old) in self.centre.iter_mut().zip(&self.previous_impulse) {
            *x += settings.over_relaxation * (*x - old);
        }
        Law::move_into_cones(problem, &mut self.centre);
    }
}

/// When Newton on the statuses of the natural map is tried: where the residual is low, at first at once, then
/// after more and more failures of the proximal steps.
#[derive(Default)]
struct Tries {
    n_failures: usize,
    wait: usize,
}

impl Tries {
    fn is_due(&self, residual: &Residual, problem: &ContactProblem, settings: &CoreSettings) -> bool {
        residual.max() < settings.active_set_below
            && self.n_failures >= self.wait
            && settings.active_set_iterations > 0
            && active_set::applies(problem)
    }

    fn note(&mut self, has_lowered: bool) {
        self.n_failures = 0;
        self.wait = if has_lowered { 0 } else { (2 * self.wait).max(1) };
    }
}

/// How far a solve has come.
struct Progress {
    best: Residual,
    /// Outer iteration and value of the last halving of the best residual.
    milestone: (usize, f64),
    outer: usize,
}

impl Progress {
    fn ended(
        &self,
        residual: &Residual,
        tolerance: f64,
        iterations: usize,
        budget: &Budget,
    ) -> Option<SolveStatus> {
        if residual.max() <= tolerance {
            Some(SolveStatus::Solved)
        } else if residual.max().is_nan() && self.best.max().is_nan() {
            Some(SolveStatus::NonFinite)
        } else if iterations >= budget.iterations {
            Some(SolveStatus::MaxIterations)
        } else if budget.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(SolveStatus::TimeLimit)
        } else if self.outer - self.milestone.0 > budget.patience {
            Some(SolveStatus::Stalled)
        } else {
            None
        }
    }

    /// Whether this is the best so far.
    fn improved(&mut self, residual: &Residual) -> bool {
        let improved = residual.max() < self.best.max() || self.best.max().is_nan();
        if improved {
            self.best = *residual;
        }
        if self.best.max() <= 0.5 * self.milestone.1 || self.milestone.1.is_nan() {
            self.milestone = (self.outer, self.best.max());
        }
        improved
    }
}

/// The ρ rule, theory (6.5): quick convergence means more exactness is affordable; failure means damping.
fn next_rho(rho: f64, inner: &Inner, settings: &CoreSettings) -> f64 {
    let factor = if !inner.converged {
        settings.rho_cut
    } else if inner.iterations <= 2 {
        settings.rho_growth_fast
    } else if inner.iterations <= 5 {
        settings.rho_growth
    } else {
        1.0
    };
    (rho * factor).clamp(settings.smallest_rho, settings.largest_rho)
}
