//! Phase B: alternating directions with the De Saxcé shift refreshed in every iteration.
//!
//! With y = Y v + w split from z, û(z) = z + (μ |y_T|, 0, 0) ∈ K* and P = ρ r one scalar per contact:
//! ```text
//!   (A + Jᵀ P Y) v = b + Jᵀ (x + P (z − w))        one factorisation while ρ stands
//!   y = 1.6 (Y v + w) − 0.6 z                       over-relaxation
//!   x⁺ = P_K(x − P (y + s)),  s = (μ |y_T|, 0, 0)
//!   z⁺ = y + (x⁺ − x)/P
//! ```
//! Works with coupled A. Good for 1e-2 to 1e-4 of many loaded contacts, slow beyond.

use crate::problem::{Cone, ContactLaw, ContactProblem};
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, ProjectionDerivative, natural_map};
use crate::solver::linear_system::{FactorizationFailed, Matrix, NewtonSystem, Precision, accuracy};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::linear_system::KRYLOV_ACCURACY;
use crate::solver::parameters::strategy::{
    ADMM_CHECK_EVERY, ADMM_IMBALANCE, ADMM_OVER_RELAXATION, ADMM_REFACTORIZATIONS, ADMM_RHO_CHANGE,
};
use crate::solver::residual::{momentum_at, offset_of};
use signorini_kernels::math::larger;

/// Workspace of the alternating directions.
#[derive(Debug, Default)]
pub struct Admm {
    system: NewtonSystem,
    law: Law,
    /// P per row.
    penalty: Vec<f64>,
    /// w = y_k − Y v_k.
    offset: Vec<f64>,
    slip: Vec<f64>,
    relaxed: Vec<f64>,
    split: Vec<f64>,
    push: Vec<f64>,
    projected: Vec<f64>,
    right: Vec<f64>,
    best: Iterate,
}

impl Admm {
    /// Iterates at most so often from `iterate`, which ends as the best met in the natural map and the
    /// momentum rows (in units of `scaling`). Does nothing where something resists rolling.
    ///
    /// # Errors
    /// When A + Jᵀ P Y has no factors; `iterate` is untouched.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        iterate: &mut Iterate,
        iterations: usize,
        options: &SolveOptions,
        info: &mut Info,
    ) -> Result<usize, FactorizationFailed> {
        if problem.cones.is_empty() || problem.has_rolling() || problem.has_least() {
            return Ok(0);
        }
        let mut rho = 1.0;
        self.start(problem, iterate, options);
        self.factorize(problem, rho, info)?;
        let mut lowest = self.residual(problem, iterate);
        self.best.copy_from(iterate);
        let mut refactorizations = 0;
        let mut taken = 0;
        while taken < iterations {
            let (primal, dual) = self.step(problem, iterate);
            taken += 1;
            info.count_passes(1, problem);
            let late = options.limit(info).is_some();
            if taken % ADMM_CHECK_EVERY == 0 || taken == iterations || late {
                let reached = self.residual(problem, iterate);
                if reached < lowest {
                    lowest = reached;
                    self.best.copy_from(iterate);
                }
                if reached.is_nan() || lowest <= options.tolerance || late {
                    break;
                }
                let balance = (primal / dual).sqrt();
                let off = balance > ADMM_IMBALANCE.sqrt() || balance < 1.0 / ADMM_IMBALANCE.sqrt();
                if off && balance.is_finite() && balance > 0.0 && refactorizations < ADMM_REFACTORIZATIONS {
                    rho *= balance.clamp(ADMM_RHO_CHANGE[0], ADMM_RHO_CHANGE[1]);
                    refactorizations += 1;
                    self.factorize(problem, rho, info)?;
                }
            }
        }
        iterate.copy_from(&self.best);
        Ok(taken)
    }

    fn start(&mut self, problem: &ContactProblem, iterate: &Iterate, options: &SolveOptions) {
        self.system.prepare(problem, options);
        self.law.resize(problem);
        let n = problem.n_rows();
        for v in [&mut self.penalty, &mut self.offset, &mut self.slip, &mut self.relaxed, &mut self.push] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.right.resize(problem.at.velocity.len(), 0.0);
        self.offset = offset_of(problem);
        self.evaluate_slip(problem, &iterate.velocity);
        self.split.clone_from(&self.slip);
    }

    fn evaluate_slip(&mut self, problem: &ContactProblem, v: &[f64]) {
        problem.response(v, &mut self.slip);
        for (row, y) in self.slip.iter_mut().enumerate() {
            *y += self.offset[row];
        }
    }

    /// A + Jᵀ P Y through the Newton system of an all-sticking law.
    fn factorize(
        &mut self,
        problem: &ContactProblem,
        rho: f64,
        info: &mut Info,
    ) -> Result<(), FactorizationFailed> {
        for (c, cone) in problem.cones.iter().enumerate() {
            let rows = cone.row..cone.row + cone.n_law_rows();
            // One scalar per contact, so that the projection on the cone is the proximal map.
            let positive = problem.at.weight[rows.clone()].iter().copied().filter(|w| *w > 0.0);
            let (count, sum) = positive.fold((0.0_f64, 0.0), |(n, s), w| (n + 1.0, s + 1.0 / w));
            let weight = if count > 0.0 { rho * count / sum } else { 0.0 };
            self.penalty[rows].fill(weight);
            self.law.normal_derivative[cone.normal()].fill(weight);
            self.law.derivative[c] = ProjectionDerivative {
                status: ContactStatus::Stick,
                alpha: weight,
                ..ProjectionDerivative::default()
            };
        }
        info.count_factorization(self.system.n_block_products());
        self.system.factorize(problem, &self.law, Precision::Double, &mut info.times)
    }

    /// One iteration; returns |y − z| and |P (z − z_old)| in the same unit (impulses).
    fn step(&mut self, problem: &ContactProblem, iterate: &mut Iterate) -> (f64, f64) {
        for (row, push) in self.push.iter_mut().enumerate() {
            *push = iterate.impulse[row] + self.penalty[row] * (self.split[row] - self.offset[row]);
        }
        self.right.copy_from_slice(&problem.at.free_momentum);
        problem.add_forces(&self.push, 1.0, &mut self.right);
        let matrix = Matrix { problem, law: &self.law };
        self.system.solve(matrix, &self.right, &mut iterate.velocity, accuracy(KRYLOV_ACCURACY));
        let v = std::mem::take(&mut iterate.velocity);
        self.evaluate_slip(problem, &v);
        iterate.velocity = v;
        let over = ADMM_OVER_RELAXATION;
        for (row, y) in self.relaxed.iter_mut().enumerate() {
            *y = over * self.slip[row] + (1.0 - over) * self.split[row];
        }
        let (mut primal, mut dual) = (0.0, 0.0);
        for cone in &problem.cones {
            let weight = self.penalty[cone.row];
            if weight <= 0.0 {
                continue;
            }
            let rows = cone.row..cone.row + cone.n_law_rows();
            let y = &self.relaxed[rows.clone()];
            self.projected.resize(y.len(), 0.0);
            if cone.bounded {
                for ((p, row), y) in self.projected.iter_mut().zip(rows.clone()).zip(y) {
                    let soft = problem.compliance.get(row).copied().unwrap_or(0.0);
                    let [low, high] = problem.bounds[row];
                    *p = ((iterate.impulse[row] - weight * y) / (1.0 + weight * soft)).max(low).min(high);
                }
            } else {
                project(cone, problem, weight, &iterate.impulse[rows.clone()], y, &mut self.projected);
            }
            for ((row, y), x) in rows.zip(y).zip(&self.projected) {
                let z = y + (x - iterate.impulse[row]) / weight;
                primal += (weight * (self.slip[row] - z)).powi(2);
                dual += (weight * (z - self.split[row])).powi(2);
                self.split[row] = z;
                iterate.impulse[row] = *x;
            }
        }
        (primal.sqrt(), dual.sqrt())
    }

    /// Contact law and momentum rows: where v and x do not balance yet, the law alone says nothing.
    fn residual(&mut self, problem: &ContactProblem, iterate: &Iterate) -> f64 {
        let momentum = momentum_at(problem, &iterate.velocity, &iterate.impulse, &mut self.right);
        let (normal, friction) = natural_map(problem, &problem.at.weight, &iterate.impulse, &self.slip);
        larger(momentum, larger(normal, friction))
    }
}

/// x⁺ = P_K(x − P (y + s)); with several normal rows (whose cone has no simple projection) normals first,
/// then friction on the ball they allow.
fn project(cone: &Cone, problem: &ContactProblem, weight: f64, x: &[f64], y: &[f64], out: &mut [f64]) {
    let mu = cone.friction_coefficient;
    let n = cone.n_normal;
    let sliding = y[n..].iter().map(|y| y * y).sum::<f64>().sqrt();
    for (i, o) in out.iter_mut().enumerate() {
        let soft = problem.compliance.get(cone.row + i).copied().unwrap_or(0.0);
        let shift = if i < n && n == 1 && problem.law != ContactLaw::Cone { mu * sliding } else { 0.0 };
        *o = (x[i] - weight * (y[i] + shift)) / (1.0 + weight * soft);
    }
    let length = out[n..].iter().map(|z| z * z).sum::<f64>().sqrt();
    if n == 1 && length > mu * out[0] {
        let pushed = out[0] + mu * length;
        out[0] = if pushed > 0.0 { pushed / (1.0 + mu * mu) } else { 0.0 };
    }
    out[..n].iter_mut().for_each(|z| *z = z.max(0.0));
    let radius = mu * out[..n].iter().sum::<f64>();
    if length > radius {
        out[n..].iter_mut().for_each(|z| *z *= radius / length);
    }
}
