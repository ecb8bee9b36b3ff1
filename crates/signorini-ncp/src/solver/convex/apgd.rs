//! Accelerated projected gradient descent with restart for cone complementarity problems.
//!
//! min f(x) = ½ xᵀ N x + rᵀ x over the product of the contacts' cones, N = J A⁻¹ Jᵀ + R, r = J A⁻¹ b + w [NS
//! (15)]; its gradient N x + r is the slip y (+ R x), so that KKT is the law [NS (11)]. Nesterov's momentum
//! is dropped whenever it points uphill; the step is r/L with L found by backtracking and r the effective
//! masses of the normal and the friction rows of each contact; the projection is that of the metric 1/r.
//!
//! References: Mazhar, Heyn, Negrut, Tasora 2015; O'Donoghue, Candès 2015 (restart).

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::clamp_to_bounds;
use crate::solver::law::projection::project;
use crate::solver::linear_system::mass_factor::MassFactor;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::baselines::{
    APGD_CHECK_EVERY, CURVATURE_ROUNDING, LIPSCHITZ_DECAY, MAX_LIPSCHITZ,
};
use crate::solver::residual::Residual;
use crate::solver::status::SolveStatus;

/// Workspace of the method.
#[derive(Debug, Default)]
pub struct Apgd {
    mass: MassFactor,
    /// w: slip at rest.
    offset: Vec<f64>,
    /// At the extrapolated point: impulses, gradient.
    ahead: Vec<f64>,
    gradient: Vec<f64>,
    next: Vec<f64>,
    next_gradient: Vec<f64>,
    velocity: Vec<f64>,
    best: Vec<f64>,
    /// r: gradient at zero.
    free_slip: Vec<f64>,
}

/// Value of a convex contact problem at its solution (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ConicValue {
    /// f(x) of [NS (15)].
    pub objective: f64,
    /// x·(y + R x): with both in their cones, what is left between the problem and its dual.
    pub duality_gap: f64,
}

impl Apgd {
    /// Solves to `tolerance` (of the natural map, in units of `scaling`) from the impulses of `iterate`,
    /// which ends as the best iterate found, momentum balanced. The law of the problem is taken to be the
    /// cone.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        if self.prepare(problem, info).is_none() {
            return SolveStatus::FactorizationFailed;
        }
        let status = self.descend(problem, iterate, options, info);
        self.best.clone_from(&iterate.impulse);
        let mut slip = std::mem::take(&mut self.next_gradient);
        self.slip_of(problem, &iterate.impulse, &mut slip);
        iterate.velocity.clone_from(&self.velocity);
        info.residual = residual(problem, &iterate.impulse, &slip);
        self.next_gradient = slip;
        status
    }

    fn descend(
        &mut self,
        problem: &ContactProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        let mut x = std::mem::take(&mut iterate.impulse);
        self.project(problem, &mut x);
        self.ahead.clone_from(&x);
        self.best.clone_from(&x);
        let mut lowest = f64::INFINITY;
        let (mut theta, mut lipschitz) = (1.0_f64, 1.0_f64);
        let mut status = SolveStatus::MaxIterations;
        for k in 0..=options.iterations {
            if k % APGD_CHECK_EVERY == 0 || k == options.iterations {
                let mut slip = std::mem::take(&mut self.next_gradient);
                self.slip_of(problem, &x, &mut slip);
                let reached = residual(problem, &x, &slip).max();
                self.next_gradient = slip;
                if reached < lowest {
                    lowest = reached;
                    self.best.clone_from(&x);
                }
                if reached.is_nan() || lowest <= options.tolerance {
                    status = if reached.is_nan() { SolveStatus::NonFinite } else { SolveStatus::Solved };
                    break;
                }
                if let Some(limit) = options.limit(info) {
                    status = limit;
                    break;
                }
                // Values that no later step reads are not computed.
                if k == options.iterations {
                    break;
                }
            }
            info.iterations += 1;
            info.count_passes(1, problem);
            self.gradient_at_ahead(problem);
            lipschitz = self.backtrack(problem, lipschitz);
            let next_theta = 0.5 * theta * ((theta * theta + 4.0).sqrt() - theta);
            let mut beta = theta * (1.0 - theta) / (theta * theta + next_theta);
            let uphill: f64 =
                self.gradient.iter().zip(&self.next).zip(&x).map(|((g, n), x)| g * (n - x)).sum();
            theta = next_theta;
            if uphill > 0.0 {
                (beta, theta) = (0.0, 1.0);
            }
            for ((a, n), x) in self.ahead.iter_mut().zip(&self.next).zip(&x) {
                *a = n + beta * (n - x);
            }
            x.clone_from(&self.next);
            lipschitz *= LIPSCHITZ_DECAY;
        }
        iterate.impulse.clone_from(&self.best);
        status
    }

    /// Sizes everything; None when A has no factor.
    fn prepare(&mut self, problem: &ContactProblem, info: &mut Info) -> Option<()> {
        info.factorizations += usize::from(!problem.coupling.is_empty());
        self.mass = MassFactor::new(problem).ok()?;
        let n = problem.n_rows();
        for v in [&mut self.next_gradient, &mut self.gradient, &mut self.next, &mut self.offset] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.velocity.clone_from(&problem.at.velocity);
        problem.response(&problem.at.velocity, &mut self.offset);
        for (w, y) in self.offset.iter_mut().zip(&problem.at.slip) {
            *w = y - *w;
        }
        let mut free = std::mem::take(&mut self.free_slip);
        free.clear();
        free.resize(n, 0.0);
        self.next.fill(0.0);
        let zero = std::mem::take(&mut self.next);
        self.slip_of(problem, &zero, &mut free);
        (self.next, self.free_slip) = (zero, free);
        Some(())
    }

    /// y(x) = w + J A⁻¹ (b + Jᵀ x), without the compliance; leaves v in `self.velocity`.
    fn slip_of(&mut self, problem: &ContactProblem, x: &[f64], slip: &mut [f64]) {
        self.velocity.clone_from(&problem.at.free_momentum);
        problem.add_forces(x, 1.0, &mut self.velocity);
        self.mass.solve(problem, &mut self.velocity);
        problem.response(&self.velocity, slip);
        for (y, w) in slip.iter_mut().zip(&self.offset) {
            *y += w;
        }
    }

    /// y + R x at x.
    fn gradient_of(&mut self, problem: &ContactProblem, x: &[f64], gradient: &mut [f64]) {
        self.slip_of(problem, x, gradient);
        for ((g, r), x) in gradient.iter_mut().zip(&problem.compliance).zip(x) {
            *g += r * x;
        }
    }

    fn gradient_at_ahead(&mut self, problem: &ContactProblem) {
        let (ahead, mut gradient) = (std::mem::take(&mut self.ahead), std::mem::take(&mut self.gradient));
        self.gradient_of(problem, &ahead, &mut gradient);
        (self.ahead, self.gradient) = (ahead, gradient);
    }

    /// x⁺ = Π(x − r g / L) with L doubled until the quadratic model bounds f.
    fn backtrack(&mut self, problem: &ContactProblem, mut lipschitz: f64) -> f64 {
        loop {
            let mut next = std::mem::take(&mut self.next);
            for (row, n) in next.iter_mut().enumerate() {
                *n = self.ahead[row] - problem.at.weight[row] / lipschitz * self.gradient[row];
            }
            self.project(problem, &mut next);
            let mut gradient = std::mem::take(&mut self.next_gradient);
            self.gradient_of(problem, &next, &mut gradient);
            // f is quadratic: f(x⁺) − f(x) − g·d = ½ dᵀ N d = ½ d·(g⁺ − g), exactly and without cancellation
            // in f.
            let (mut curvature, mut length, mut rounding) = (0.0, 0.0, 0.0);
            for (row, weight) in problem.at.weight.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                let d = next[row] - self.ahead[row];
                curvature += d * (gradient[row] - self.gradient[row]);
                rounding += d.abs() * (gradient[row].abs() + self.gradient[row].abs());
                length += d * d / weight;
            }
            self.next_gradient = gradient;
            self.next = next;
            if curvature <= lipschitz * length + CURVATURE_ROUNDING * f64::EPSILON * rounding
                || lipschitz > MAX_LIPSCHITZ
            {
                return lipschitz;
            }
            lipschitz *= 2.0;
        }
    }

    fn project(&self, problem: &ContactProblem, x: &mut [f64]) {
        let mut weights = Vec::new();
        for cone in &problem.cones {
            if cone.bounded {
                clamp_to_bounds(problem, cone, x);
                continue;
            }
            let mut z = [0.0; 3];
            z[..cone.n_friction].copy_from_slice(&x[cone.friction()]);
            weights.clear();
            weights.extend(cone.normal().map(|row| positive(problem.at.weight[row])));
            let friction_weight = cone.friction().next().map_or(1.0, |row| positive(problem.at.weight[row]));
            project(ContactLaw::Cone, cone, &mut x[cone.normal()], &mut weights, &mut z, friction_weight);
            x[cone.friction()].copy_from_slice(&z[..cone.n_friction]);
        }
    }

    /// Objective and gap at the impulses of the last solve.
    pub fn value(&mut self, problem: &ContactProblem, x: &[f64]) -> ConicValue {
        if self.prepare(problem, &mut Info::default()).is_none() {
            return ConicValue { objective: f64::NAN, duality_gap: f64::NAN };
        }
        let mut gradient = std::mem::take(&mut self.gradient);
        self.gradient_of(problem, x, &mut gradient);
        let mut value = ConicValue::default();
        for ((x, g), r) in x.iter().zip(&gradient).zip(&self.free_slip) {
            value.objective += 0.5 * x * (g + r);
            value.duality_gap += x * g;
        }
        self.gradient = gradient;
        value
    }
}

/// Rows that nothing can move have no effective mass; any metric serves them.
fn positive(weight: f64) -> f64 {
    if weight > 0.0 { weight } else { 1.0 }
}

/// Law only: momentum is balanced by construction.
fn residual(problem: &ContactProblem, x: &[f64], slip: &[f64]) -> Residual {
    Residual::of(problem, 0.0, x, slip)
}
