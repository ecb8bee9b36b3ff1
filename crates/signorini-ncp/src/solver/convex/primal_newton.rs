//! Newton on the primal cost of a convex compliant contact problem \[SAP\]:
//! ```text
//! min ℓ(v) = ½ (v − v*)ᵀ A (v − v*) + ½ Σ γᵀ R γ,     γ(v) = Proj_K(−R⁻¹ y(v)) in the metric of R
//! ∇ℓ = A v − b − Jᵀ γ,     ∇²ℓ = A + Jᵀ G J
//! ```
//! ℓ is convex with a continuous gradient. The line search finds the root of dℓ/dα exactly, so that every
//! step descends as far as its direction allows, and the iteration needs no globalisation beyond it.

use crate::problem::ContactProblem;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::{Law, Proximal};
use crate::solver::linear_system::{Matrix, NewtonSystem, Precision, accuracy};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::baselines::{BRACKET_GROWTH, MAX_SLOPE_EVALUATIONS, SLOPE_TOLERANCE};
use crate::solver::parameters::linear_system::KRYLOV_ACCURACY;
use crate::solver::residual::{Residual, momentum_at};
use crate::solver::status::SolveStatus;

/// Workspace of the method.
#[derive(Debug, Default)]
pub struct PrimalNewton {
    system: NewtonSystem,
    law: Law,
    y: Vec<f64>,
    trial_y: Vec<f64>,
    dy: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    ddirection: Vec<f64>,
    applied: Vec<f64>,
    centre: Vec<f64>,
    inverse: Vec<f64>,
    /// The problem's own regularisation, put aside while the law works with its inverse.
    regularization: Vec<f64>,
}

impl PrimalNewton {
    /// Solves to the tolerance of the run (of the gradient in units of `scaling`) from `iterate.velocity`.
    /// The problem is linear (K = 0, Y = J), its law the cone, and its compliance R positive in every row.
    pub fn run(
        &mut self,
        problem: &mut ContactProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        // The law of proximal steps with x̂ = 0, r = 1/R is the compliant one.
        self.regularization = std::mem::take(&mut problem.compliance);
        self.prepare(problem, options);
        let status = self.iterate(problem, iterate, options, info);
        iterate.impulse.clone_from(&self.law.impulse);
        problem.compliance = std::mem::take(&mut self.regularization);
        let momentum = problem.scaled_momentum(&self.gradient);
        info.residual = Residual::of(problem, momentum, &iterate.impulse, &self.y);
        status
    }

    fn prepare(&mut self, problem: &ContactProblem, options: &SolveOptions) {
        self.system.prepare(problem, options);
        self.law.resize(problem);
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        for v in [&mut self.y, &mut self.trial_y, &mut self.dy, &mut self.applied, &mut self.centre] {
            v.clear();
            v.resize(rows, 0.0);
        }
        for v in [&mut self.gradient, &mut self.direction, &mut self.ddirection] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.inverse.clear();
        self.inverse.extend(self.regularization.iter().map(|r| 1.0 / r));
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.evaluate_at(problem, &iterate.velocity);
        let mut reached = problem.scaled_momentum(&self.gradient);
        for _ in 0..options.iterations {
            if reached.is_nan() {
                return SolveStatus::NonFinite;
            }
            if reached <= options.tolerance {
                return SolveStatus::Solved;
            }
            if let Some(status) = options.limit(info) {
                return status;
            }
            info.count_iteration(problem);
            info.count_factorization(self.system.n_block_products());
            if self.system.factorize(problem, &self.law, Precision::Double, &mut info.times).is_err() {
                return SolveStatus::FactorizationFailed;
            }
            self.gradient.iter_mut().for_each(|g| *g = -*g);
            let Self { system, law, gradient, direction, .. } = self;
            let matrix = Matrix { problem, law };
            system.solve(matrix, gradient, direction, accuracy(KRYLOV_ACCURACY));
            let alpha = self.line_search(problem);
            for (v, d) in iterate.velocity.iter_mut().zip(&self.direction) {
                *v += alpha * d;
            }
            // y goes on from where it was: formed anew, its rounding over R would be impulses of 1e-8 where
            // rows are nearly rigid.
            self.y.iter_mut().zip(&self.dy).for_each(|(y, d)| *y += alpha * d);
            self.evaluate_there(problem, &iterate.velocity);
            reached = problem.scaled_momentum(&self.gradient);
            if alpha == 0.0 {
                break;
            }
        }
        match reached {
            r if r <= options.tolerance => SolveStatus::Solved,
            r if r.is_nan() => SolveStatus::NonFinite,
            _ if info.iterations >= options.iterations => SolveStatus::MaxIterations,
            _ => SolveStatus::Stalled,
        }
    }

    /// y, γ, G and ∇ℓ at v.
    fn evaluate_at(&mut self, problem: &ContactProblem, v: &[f64]) {
        for ((d, v), at) in self.direction.iter_mut().zip(v).zip(&problem.at.velocity) {
            *d = v - at;
        }
        problem.response(&self.direction, &mut self.y);
        self.y.iter_mut().zip(&problem.at.slip).for_each(|(y, k)| *y += k);
        self.evaluate_there(problem, v);
    }

    /// γ, G and ∇ℓ at v, where y is known.
    fn evaluate_there(&mut self, problem: &ContactProblem, v: &[f64]) {
        let y = std::mem::take(&mut self.y);
        self.evaluate_law(problem, &y);
        self.y = y;
        momentum_at(problem, v, &self.law.impulse, &mut self.gradient);
    }

    fn evaluate_law(&mut self, problem: &ContactProblem, y: &[f64]) {
        let proximal = Proximal { centre: &self.centre, weight: &self.inverse, rho: 1.0, equation_rho: 1.0 };
        self.law.evaluate(problem, &proximal, y);
    }

    /// Root of dℓ/dα along the direction. `self.gradient` holds −∇ℓ at α = 0 and is used up.
    fn line_search(&mut self, problem: &ContactProblem) -> f64 {
        problem.response(&self.direction, &mut self.dy);
        problem.mass_product(&self.direction, &mut self.ddirection);
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        // ∇ℓ = (A v − b) − Jᵀ γ: the slope is linear + α quadratic − γ(α)·dy.
        let start_slope = -product(&self.gradient, &self.direction);
        if start_slope >= 0.0 {
            return 0.0;
        }
        let quadratic = product(&self.ddirection, &self.direction);
        let linear = start_slope + product(&self.law.impulse, &self.dy);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut alpha = 1.0;
        for _ in 0..MAX_SLOPE_EVALUATIONS {
            let mut y = std::mem::take(&mut self.trial_y);
            for ((t, y), d) in y.iter_mut().zip(&self.y).zip(&self.dy) {
                *t = y + alpha * d;
            }
            self.evaluate_law(problem, &y);
            self.trial_y = y;
            let slope = linear + alpha * quadratic - product(&self.law.impulse, &self.dy);
            if slope.abs() <= SLOPE_TOLERANCE * start_slope.abs() {
                break;
            }
            if slope < 0.0 {
                low = alpha
            } else {
                high = alpha
            }
            for c in 0..problem.cones.len() {
                self.law.apply_derivative(problem, c, true, &self.dy, &mut self.applied);
            }
            let curvature = quadratic + product(&self.dy, &self.applied);
            let newton = alpha - slope / curvature;
            let bisect = if high.is_finite() { 0.5 * (low + high) } else { BRACKET_GROWTH * alpha };
            let next = if newton > low && newton < high { newton } else { bisect };
            if next == alpha || high - low <= f64::EPSILON * high {
                break;
            }
            alpha = next;
        }
        alpha
    }
}

#[cfg(test)]
mod tests;
