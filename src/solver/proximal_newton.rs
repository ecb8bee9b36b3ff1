//! The production method: exact-Coulomb proximal point with an adaptive parameter, Newton inside, geometry
//! refreshed once per proximal step (MODEL section 3).
//!
//! One proximal step solves, for the frozen problem,
//! F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r y(v)):
//! the impulses are eliminated at the penalty scale, which is what globalises. Small ρ is damped and robust,
//! large ρ is exact Newton.

use super::law::{Law, Mode, Proximal};
use super::newton_system::NewtonSystem;
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
    /// Takes over the values, keeping the allocation.
    pub fn copy_from(&mut self, other: &Iterate) {
        self.velocity.clone_from(&other.velocity);
        self.impulse.clone_from(&other.impulse);
    }
}

/// Memory of one solve from the next: the proximal parameter and the factor.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    system: NewtonSystem,
    law: Law,
    trial: Law,
    /// Gains the factor was made with, and its ρ.
    factored: Option<(f64, Vec<Mode>)>,
    last_krylov: usize,
    best: Iterate,
    next: Iterate,
    /// x̂: the impulses of the iterate, or over-relaxed ones.
    centre: Vec<f64>,
    previous_impulse: Vec<f64>,
    vectors: Vectors,
}

#[derive(Debug, Default)]
struct Vectors {
    velocity: Vec<f64>,
    y: Vec<f64>,
    linear: Vec<f64>,
    force: Vec<f64>,
    direction: Vec<f64>,
    dy: Vec<f64>,
    dlinear: Vec<f64>,
    y_trial: Vec<f64>,
    force_trial: Vec<f64>,
}

impl Vectors {
    fn resize(&mut self, n: usize, rows: usize) {
        for v in [
            &mut self.velocity,
            &mut self.linear,
            &mut self.force,
            &mut self.direction,
            &mut self.dlinear,
            &mut self.force_trial,
        ] {
            v.resize(n, 0.0);
        }
        for v in [&mut self.y, &mut self.dy, &mut self.y_trial] {
            v.resize(rows, 0.0);
        }
    }
}

/// How one proximal step went.
struct Inner {
    converged: bool,
    iterations: usize,
    broken: bool,
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
        if self.system.prepare(problem.frozen(), settings) {
            self.factored = None;
        }
        self.law.resize(problem.frozen());
        self.trial.resize(problem.frozen());
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
            let inner = self.proximal_step(
                problem.frozen(),
                iterate,
                *rho,
                residual.max(),
                budget.deadline,
                settings,
                info,
            );
            if inner.broken {
                *rho *= 0.1;
                if *rho < settings.smallest_rho {
                    break SolveStatus::FactorizationFailed;
                }
                continue;
            }
            let before = residual.max();
            let reached = problem.refresh(&self.next.velocity, &self.next.impulse);
            if std::env::var("TRACE").is_ok() {
                eprintln!(
                    "{outer} rho {:.0e} inner {} {} before {:.1e} reached {:.1e} m {:.1e} c {:.1e} f {:.1e} kry {}",
                    *rho,
                    inner.iterations,
                    inner.converged,
                    before,
                    reached.max(),
                    reached.momentum,
                    reached.complementarity,
                    reached.friction,
                    self.last_krylov
                );
            }
            let limit =
                if inner.converged { settings.accepted_growth } else { settings.accepted_growth_unconverged };
            if !(reached.max() <= limit * before) {
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

    /// Newton on F for one ρ; leaves the result in `self.next`.
    fn proximal_step(
        &mut self,
        problem: &ContactProblem,
        iterate: &Iterate,
        rho: f64,
        outer_residual: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Inner {
        let centre = std::mem::take(&mut self.centre);
        let proximal = Proximal { centre: &centre, weight: &problem.weight, rho };
        let mut at = std::mem::take(&mut self.vectors);
        at.resize(iterate.velocity.len(), problem.n_rows());
        start_vectors(problem, iterate, &mut at);
        self.law.evaluate(problem, &proximal, &at.y);
        total_force(problem, &at.linear, &self.law.impulse, &mut at.force);
        let goal = settings.inner_accuracy * outer_residual;
        let mut inner = Inner { converged: false, iterations: 0, broken: false };
        loop {
            let scaled = problem.scaled_momentum(&at.force);
            if scaled <= goal {
                inner.converged = true;
                break;
            }
            if inner.iterations >= settings.inner_iterations || scaled.is_nan() {
                inner.broken = scaled.is_nan();
                break;
            }
            if deadline.is_some_and(|d| Instant::now() >= d) {
                break;
            }
            inner.iterations += 1;
            info.iterations += 1;
            let predicted = inner.iterations == 1 && settings.predict_modes;
            if predicted {
                self.law.predict(problem, &proximal);
            }
            if self.refresh_factor(problem, rho, settings, info).is_err() {
                inner.broken = true;
                break;
            }
            at.force.iter_mut().for_each(|f| *f = -*f);
            self.last_krylov = self.system.solve(problem, &self.law, &at.force, &mut at.direction, settings);
            at.force.iter_mut().for_each(|f| *f = -*f);
            // A predicted direction need not descend; the true one of the next iteration does.
            if !self.line_search(problem, &proximal, &mut at, settings) && !predicted {
                break;
            }
        }
        self.next.velocity.clone_from(&at.velocity);
        self.next.impulse.clone_from(&self.law.impulse);
        self.vectors = at;
        self.centre = centre;
        inner
    }

    /// Refactors when ρ changed, more than a few modes changed, or the stale factor made GMRES slow (measure 3).
    fn refresh_factor(
        &mut self,
        problem: &ContactProblem,
        rho: f64,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Result<(), super::newton_system::FactorizationFailed> {
        if let Some((factor_rho, modes)) = &self.factored
            && *factor_rho == rho
            && self.last_krylov <= settings.stale_krylov_iterations
        {
            let changed = modes.iter().zip(&self.law.gain).filter(|(m, g)| **m != g.mode).count();
            if changed <= settings.stale_mode_changes {
                return Ok(());
            }
        }
        info.factorizations += 1;
        let mut modes = self.factored.take().map(|f| f.1).unwrap_or_default();
        self.system.factorize(problem, &self.law)?;
        modes.clear();
        modes.extend(self.law.gain.iter().map(|g| g.mode));
        self.factored = Some((rho, modes));
        Ok(())
    }

    /// Halving on the energy norm of F; y is affine in v, so that a trial costs only the contacts.
    fn line_search(
        &mut self,
        problem: &ContactProblem,
        proximal: &Proximal<'_>,
        at: &mut Vectors,
        settings: &CoreSettings,
    ) -> bool {
        problem.response(&at.direction, &mut at.dy);
        problem.tangent_mass(&at.direction, &mut at.dlinear);
        let merit = energy_norm(problem, &at.force);
        let mut step_length = 1.0;
        while step_length >= settings.smallest_step_length {
            for ((trial, y), dy) in at.y_trial.iter_mut().zip(&at.y).zip(&at.dy) {
                *trial = y + step_length * dy;
            }
            self.trial.evaluate(problem, proximal, &at.y_trial);
            for ((f, l), d) in at.force_trial.iter_mut().zip(&at.linear).zip(&at.dlinear) {
                *f = l + step_length * d;
            }
            problem.add_forces(&self.trial.impulse, -1.0, &mut at.force_trial);
            let reached = energy_norm(problem, &at.force_trial);
            if reached <= (1.0 - 2e-4 * step_length) * merit {
                std::mem::swap(&mut self.law, &mut self.trial);
                std::mem::swap(&mut at.y, &mut at.y_trial);
                std::mem::swap(&mut at.force, &mut at.force_trial);
                for (v, d) in at.velocity.iter_mut().zip(&at.direction) {
                    *v += step_length * d;
                }
                for (l, d) in at.linear.iter_mut().zip(&at.dlinear) {
                    *l += step_length * d;
                }
                return true;
            }
            step_length *= 0.5;
        }
        self.law.evaluate(problem, proximal, &at.y);
        false
    }
}

/// v = v_k of the iterate, y and the linear part A v − b − K (v − v_k) there.
fn start_vectors(problem: &ContactProblem, iterate: &Iterate, at: &mut Vectors) {
    at.velocity.copy_from_slice(&iterate.velocity);
    at.y.copy_from_slice(&problem.slip);
    problem.mass_product(&at.velocity, &mut at.linear);
    for (l, b) in at.linear.iter_mut().zip(&problem.free_momentum) {
        *l -= b;
    }
}

fn total_force(problem: &ContactProblem, linear: &[f64], impulse: &[f64], out: &mut [f64]) {
    out.copy_from_slice(linear);
    problem.add_forces(impulse, -1.0, out);
}

/// Σ Fᵀ A⁻¹ F with the diagonal blocks of A: the same unit (J) for linear and angular rows.
fn energy_norm(problem: &ContactProblem, force: &[f64]) -> f64 {
    problem
        .mass_inverse
        .iter()
        .enumerate()
        .map(|(i, inverse)| {
            let f = crate::problem::contact_problem::vector6(force, i);
            f.dot(&(inverse * f))
        })
        .sum()
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
