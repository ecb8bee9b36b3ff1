//! Newton inside one proximal step: F(v) = A v − b − Jᵀ x(v) − K (v − v_k) = 0 with x(v) = Proj(x̂ − ρ r
//! y(v)).

use crate::problem::ContactProblem;
use crate::problem::contact_problem::vector6;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, Proximal};
use crate::solver::linear_system::{
    FactorizationFailed, Matrix, NewtonSystem, Precision, SystemMemory, accuracy,
};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::linear_system::{
    KRYLOV_ACCURACY, SINGLE_MAX_RHO, STALE_ITERATIONS, STALE_STATUSES,
};
use crate::solver::parameters::proximal::{LINE_SEARCH_DECREASE, MIN_LINE_SEARCH_STEP};
use crate::solver::residual::linear_momentum;
use serde::{Deserialize, Serialize};

/// Surroundings of a method of a solve: the options, the account of the cost, and the Newton system that all
/// methods share.
#[derive(Debug)]
pub struct Context<'a> {
    /// Options of the solve; sweeps that did not converge may tighten them.
    pub options: SolveOptions,
    /// Cost of the solve so far.
    pub info: &'a mut Info,
    /// Newton directions; the factor is kept from one solve to the next.
    pub newton: &'a mut InnerNewton,
}

/// Factor with its age, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactorMemory {
    /// ρ that the factor was made with.
    pub rho: f64,
    /// Contact statuses that the factor was made with.
    pub statuses: Vec<ContactStatus>,
    /// GMRES iterations of the last solve with it.
    pub last_krylov: usize,
    /// Whether it has not been used yet.
    pub is_fresh: bool,
    /// Factor of the linear system.
    pub system: SystemMemory,
}

/// How one proximal step went.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inner {
    /// |F| fell to the accuracy.
    pub converged: bool,
    /// Newton iterations.
    pub iterations: usize,
    /// A factorisation failed or a number was not finite.
    pub broken: bool,
}

/// Target of one proximal step: the proximal point and the accuracy.
#[derive(Debug)]
pub struct InnerTarget<'a> {
    /// The proximal point.
    pub proximal: Proximal<'a>,
    /// |F| in the units of the problem at which the step has converged.
    pub accuracy: f64,
}

/// A point of the inner iteration: everything that belongs to a velocity.
#[derive(Debug, Default)]
pub struct InnerPoint {
    pub velocity: Vec<f64>,
    y: Vec<f64>,
    /// A v − b − K (v − v_k).
    pub linear: Vec<f64>,
    /// F(v).
    pub force: Vec<f64>,
    pub law: Law,
}

/// Workspace of the inner iteration. The factor outlives a step (reuse at rest).
#[derive(Debug, Default)]
pub struct InnerNewton {
    pub system: NewtonSystem,
    /// Statuses the factor was made with, and its ρ.
    pub factored: Option<(f64, Vec<ContactStatus>)>,
    last_krylov: usize,
    /// Whether the factor has not been used yet.
    is_fresh: bool,
    /// ρ up to which it is in f32.
    single_rho: f64,
    /// A new factor in f32 with which GMRES takes more iterations is not good enough.
    longest_single: LongestSingle,
    pub at: InnerPoint,
    trial: InnerPoint,
    pub direction: Vec<f64>,
    pub dy: Vec<f64>,
    dlinear: Vec<f64>,
}

/// GMRES iterations that a new factor in f32 may take.
#[derive(Debug, Clone, Copy)]
struct LongestSingle(usize);

impl Default for LongestSingle {
    fn default() -> Self {
        Self(STALE_ITERATIONS)
    }
}

impl InnerNewton {
    /// The factor, if the next solve may use it.
    pub fn memory(&self) -> Option<FactorMemory> {
        self.factored.as_ref().map(|(rho, statuses)| FactorMemory {
            rho: *rho,
            statuses: statuses.clone(),
            last_krylov: self.last_krylov,
            is_fresh: self.is_fresh,
            system: self.system.memory(),
        })
    }

    /// Takes a factor over.
    pub fn recall(&mut self, memory: &FactorMemory) {
        if self.system.recall(&memory.system) {
            self.factored = Some((memory.rho, memory.statuses.clone()));
            (self.last_krylov, self.is_fresh) = (memory.last_krylov, memory.is_fresh);
        }
    }

    /// Takes over a problem's contact graph; everything symbolic is kept while it stands.
    pub fn prepare(&mut self, problem: &ContactProblem, options: &SolveOptions) {
        if self.system.prepare(problem, options) {
            self.factored = None;
        }
        self.single_rho = if options.single_precision { SINGLE_MAX_RHO } else { 0.0 };
        let (n, rows) = (6 * problem.n_bodies(), problem.n_rows());
        for point in [&mut self.at, &mut self.trial] {
            point.law.resize(problem);
            point.velocity.resize(n, 0.0);
            point.linear.resize(n, 0.0);
            point.force.resize(n, 0.0);
            point.y.resize(rows, 0.0);
        }
        self.direction.resize(n, 0.0);
        self.dlinear.resize(n, 0.0);
        self.dy.resize(rows, 0.0);
    }

    /// Newton on F from the iterate for one ρ, until |F| is as small as the target says; the result is the
    /// point (see [`Self::take_point`]).
    pub fn proximal_step(
        &mut self,
        problem: &ContactProblem,
        target: &InnerTarget<'_>,
        options: &SolveOptions,
        info: &mut Info,
    ) -> Inner {
        let mut inner = Inner::default();
        self.start(problem, &target.proximal);
        if self.iterate(problem, target, options, (info, &mut inner)).is_err() {
            inner.broken = true;
        }
        inner
    }

    /// Writes down the velocities and impulses of the point.
    pub fn take_point(&self, next: &mut Iterate) {
        next.velocity.clone_from(&self.at.velocity);
        next.impulse.clone_from(&self.at.law.impulse);
    }

    fn iterate(
        &mut self,
        problem: &ContactProblem,
        target: &InnerTarget<'_>,
        options: &SolveOptions,
        (info, inner): (&mut Info, &mut Inner),
    ) -> Result<(), FactorizationFailed> {
        let InnerTarget { proximal, accuracy } = target;
        let mut before = 0.0;
        loop {
            let scaled = problem.scaled_momentum(&self.at.force);
            if scaled <= *accuracy {
                inner.converged = true;
                return Ok(());
            }
            if inner.iterations >= options.inner_iterations || scaled.is_nan() {
                inner.broken = scaled.is_nan();
                return Ok(());
            }
            if options.limit(info).is_some() {
                return Ok(());
            }
            inner.iterations += 1;
            info.count_iteration(problem);
            let predicted = inner.iterations == 1 && options.predicts_status;
            if predicted {
                self.at.law.predict(problem, proximal);
            }
            self.refresh_factor(problem, proximal.rho, info)?;
            // A factorisation is the longest single piece of work.
            if options.limit(info).is_some() {
                return Ok(());
            }
            let relative = KRYLOV_ACCURACY.min((0.5 * accuracy / scaled).max((scaled / before).powi(2)));
            before = scaled;
            self.find_direction(problem, relative);
            // A predicted direction need not descend; the true one of the next iteration does.
            if !self.line_search(problem, proximal) && !predicted {
                return Ok(());
            }
        }
    }

    /// The Newton direction from the point, to a relative accuracy.
    fn find_direction(&mut self, problem: &ContactProblem, relative: f64) {
        self.at.force.iter_mut().for_each(|f| *f = -*f);
        let Self { system, at, direction, .. } = self;
        let matrix = Matrix { problem, law: &at.law };
        self.last_krylov = system.solve(matrix, &at.force, direction, accuracy(relative));
        self.at.force.iter_mut().for_each(|f| *f = -*f);
        if std::mem::take(&mut self.is_fresh) && self.last_krylov > self.longest_single.0 {
            self.single_rho = 0.0;
        }
    }

    /// v = v_k: y is known there, and the linear part is A v − b.
    pub fn start_linear(&mut self, problem: &ContactProblem) {
        let at = &mut self.at;
        at.velocity.copy_from_slice(&problem.at.velocity);
        at.y.copy_from_slice(&problem.at.slip);
        linear_momentum(problem, &at.velocity, &mut at.linear);
    }

    fn start(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>) {
        self.start_linear(problem);
        let at = &mut self.at;
        at.law.evaluate(problem, proximal, &at.y);
        at.force.copy_from_slice(&at.linear);
        problem.add_forces(&at.law.impulse, -1.0, &mut at.force);
    }

    /// Refactors when ρ changed, more than a few statuses changed, or the old factor made GMRES slow.
    fn refresh_factor(
        &mut self,
        problem: &ContactProblem,
        rho: f64,
        info: &mut Info,
    ) -> Result<(), FactorizationFailed> {
        self.system.assemble(problem, &self.at.law, &mut info.times);
        let derivatives = &self.at.law.derivative;
        if let Some((factor_rho, statuses)) = &self.factored
            && *factor_rho == rho
            && self.last_krylov <= self.system.old_factor_iterations()
            && statuses.iter().zip(derivatives).filter(|(m, g)| **m != g.status).count() <= STALE_STATUSES
        {
            return Ok(());
        }
        info.count_factorization(self.system.n_block_products());
        let mut statuses = self.factored.take().map(|f| f.1).unwrap_or_default();
        let Self { system, at, single_rho, .. } = self;
        let mut factorize =
            |precision| system.factorize_assembled(problem, &at.law, precision, &mut info.times);
        let found = (rho <= *single_rho).then(|| factorize(Precision::Single));
        if !matches!(found, Some(Ok(()))) {
            if found.is_some() {
                *single_rho = 0.0;
            }
            factorize(Precision::Double)?;
        }
        self.is_fresh = true;
        statuses.clear();
        statuses.extend(self.at.law.derivative.iter().map(|g| g.status));
        self.factored = Some((rho, statuses));
        Ok(())
    }

    /// Halving on the energy norm of F. y is affine in v, so that a trial costs only the contacts.
    fn line_search(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>) -> bool {
        problem.response(&self.direction, &mut self.dy);
        problem.tangent_mass(&self.direction, &mut self.dlinear);
        let merit = energy_norm(problem, &self.at.force);
        let mut step_length = 1.0;
        while step_length >= MIN_LINE_SEARCH_STEP {
            self.move_trial(problem, proximal, step_length);
            let reached = energy_norm(problem, &self.trial.force);
            let enough = (1.0 - LINE_SEARCH_DECREASE * step_length) * merit;
            if reached <= enough {
                std::mem::swap(&mut self.at, &mut self.trial);
                return true;
            }
            step_length *= 0.5;
        }
        // Prediction may have replaced the derivatives.
        let at = &mut self.at;
        at.law.evaluate(problem, proximal, &at.y);
        false
    }

    fn move_trial(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>, step_length: f64) {
        let Self { at, trial, .. } = self;
        let moved = |out: &mut [f64], from: &[f64], by: &[f64]| {
            for ((o, f), d) in out.iter_mut().zip(from).zip(by) {
                *o = f + step_length * d;
            }
        };
        moved(&mut trial.velocity, &at.velocity, &self.direction);
        moved(&mut trial.y, &at.y, &self.dy);
        moved(&mut trial.linear, &at.linear, &self.dlinear);
        trial.law.evaluate(problem, proximal, &trial.y);
        trial.force.copy_from_slice(&trial.linear);
        problem.add_forces(&trial.law.impulse, -1.0, &mut trial.force);
    }
}

/// Σ Fᵀ A⁻¹ F with the diagonal blocks of A: the same unit (J) for linear and angular rows.
fn energy_norm(problem: &ContactProblem, force: &[f64]) -> f64 {
    let inverses = problem.mass_inverse.iter().enumerate();
    inverses
        .map(|(i, inverse)| {
            let f = vector6(force, i);
            f.dot(&(inverse * f))
        })
        .sum()
}

#[cfg(test)]
mod tests;
