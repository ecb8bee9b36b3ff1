//! The production method: exact-Coulomb proximal point with an adaptive parameter, Newton inside, geometry
//! refreshed once per proximal step (MODEL section 3).
//!
//! One proximal step solves, for the frozen problem,
//! F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r y(v)):
//! the impulses are eliminated at the penalty scale, which is what globalises. Small ρ is damped and robust,
//! large ρ is exact Newton.

use super::inner_newton::{Inner, InnerNewton};
use super::law::Proximal;
use super::settings::CoreSettings;
use super::status::{Info, Residual, SolveStatus};
use crate::problem::ContactProblem;
use std::time::Instant;

/// A problem whose geometry can be refreshed. Linear problems only evaluate their residual.
pub trait StepProblem {
    /// The problem frozen at the last refresh.
    fn frozen(&self) -> &ContactProblem;
    /// Freezes the problem at (v, x) and returns the true residual there.
    fn refresh(&mut self, v: &[f64], x: &[f64]) -> Residual;
}

/// Unknowns: velocities of bodies (6 each) and impulses per contact row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iterate {
    /// v.
    pub velocity: Vec<f64>,
    /// x.
    pub impulse: Vec<f64>,
}

impl Iterate {
    fn copy_from(&mut self, other: &Iterate) {
        self.velocity.clone_from(&other.velocity);
        self.impulse.clone_from(&other.impulse);
    }
}

/// The method with its workspace; the factor is remembered from one solve to the next.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    inner: InnerNewton,
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
    /// Solves to `tolerance` from `iterate`, which ends as the best iterate found (and the problem frozen there).
    /// `rho` is the starting proximal parameter and ends as the last one.
    pub fn solve(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        rho: &mut f64,
        tolerance: f64,
        budget: &Budget,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> SolveStatus {
        let mut residual = problem.refresh(&iterate.velocity, &iterate.impulse);
        self.inner.prepare(problem.frozen(), settings);
        self.best.copy_from(iterate);
        self.centre.clone_from(&iterate.impulse);
        let mut best = residual;
        let mut milestone = (0, residual.max());
        let start_iterations = info.iterations;
        let mut outer = 0;
        let status = loop {
            if residual.max() <= tolerance {
                break SolveStatus::Solved;
            }
            if residual.max().is_nan() && best.max().is_nan() {
                break SolveStatus::NonFinite;
            }
            if info.iterations - start_iterations >= budget.iterations {
                break SolveStatus::MaxIterations;
            }
            if budget.deadline.is_some_and(|d| Instant::now() >= d) {
                break SolveStatus::TimeLimit;
            }
            if outer - milestone.0 > budget.patience {
                break SolveStatus::Stalled;
            }
            outer += 1;
            let frozen = problem.frozen();
            let proximal = Proximal { centre: &self.centre, weight: &frozen.weight, rho: *rho };
            let goal = settings.inner_accuracy * residual.max();
            let inner = self.inner.proximal_step(frozen, &proximal, goal, &mut self.next, settings, info);
            if inner.broken {
                *rho *= 0.1;
                if *rho < settings.smallest_rho {
                    break SolveStatus::FactorizationFailed;
                }
                continue;
            }
            let before = residual.max();
            let mut reached = problem.refresh(&self.next.velocity, &self.next.impulse);
            tracing::trace!(
                outer,
                rho = *rho,
                iterations = inner.iterations,
                converged = inner.converged,
                before,
                reached = reached.max()
            );
            let limit =
                if inner.converged { settings.accepted_growth } else { settings.accepted_growth_unconverged };
            if inner.converged && !(reached.max() <= limit * before) {
                reached = self.shorten(problem, iterate, before, settings);
            }
            // At the floor of ρ the step only restores the momentum balance. It is taken even if that shows a larger
            // residual: from an iterate out of balance every smaller step is rejected for ever.
            if !(reached.max() <= limit * before) && *rho > settings.smallest_rho {
                *rho = (*rho * settings.rho_cut).max(settings.smallest_rho);
                problem.refresh(&iterate.velocity, &iterate.impulse);
                self.centre.clone_from(&iterate.impulse);
                continue;
            }
            self.previous_impulse.clone_from(&iterate.impulse);
            iterate.copy_from(&self.next);
            self.centre.clone_from(&iterate.impulse);
            residual = reached;
            *rho = next_rho(*rho, &inner, settings);
            if residual.max() < best.max() || best.max().is_nan() {
                best = residual;
                self.best.copy_from(iterate);
            }
            if best.max() <= 0.5 * milestone.1 || milestone.1.is_nan() {
                milestone = (outer, best.max());
            }
            if residual.max() > settings.slow_progress * before && inner.converged {
                self.over_relax(problem.frozen(), settings);
            }
        };
        if status != SolveStatus::Solved {
            iterate.copy_from(&self.best);
            problem.refresh(&iterate.velocity, &iterate.impulse);
            residual = best;
        }
        info.residual = residual;
        status
    }

    /// The frozen problem was solved but the geometry at its solution raised the residual: shorten the step from
    /// the iterate until the residual falls. Leaves the shortened step in `self.next`, frozen there.
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
            reached = problem.refresh(&self.next.velocity, &self.next.impulse);
            if reached.max() <= (1.0 - 0.1 * 0.5_f64.powi(halving)) * before {
                return reached;
            }
        }
        Residual { momentum: f64::NAN, ..reached }
    }

    /// x̂ := x + ω (x − x_previous), kept in the cone (measure 6 of MODEL section 3).
    fn over_relax(&mut self, problem: &ContactProblem, settings: &CoreSettings) {
        for (x, old) in self.centre.iter_mut().zip(&self.previous_impulse) {
            *x += settings.over_relaxation * (*x - old);
        }
        for cone in &problem.cones {
            let mut sum = 0.0;
            for x in &mut self.centre[cone.normal()] {
                *x = x.max(0.0);
                sum += *x;
            }
            let friction = &mut self.centre[cone.friction()];
            let length = friction.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius = cone.friction_coefficient * sum;
            if length > radius {
                friction.iter_mut().for_each(|x| *x *= radius / length);
            }
        }
    }
}

/// The ρ rule (MODEL section 3): quick convergence means more exactness is affordable; failure means damping.
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
