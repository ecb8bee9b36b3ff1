//! Cost of a solve.

use crate::problem::ContactProblem;
use crate::solver::parameters::strategy::UNTIMED_BODIES;
use crate::solver::parameters::work::{BLOCK_PRODUCT, NEWTON_BODY, NEWTON_ROW, SWEEP_ROW};
use crate::solver::residual::Residual;
use crate::solver::status::Phase;
use crate::solver::step_problem::StepProblem;
use std::time::Instant;

/// Seconds spent in the parts of a solve, on the thread that solved. Of problems of at most six bodies only
/// the sum is known; it is in `solve`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Times {
    /// Closest points, rows and stiffness of contacts, residuals.
    pub geometry: f64,
    /// Values of the Newton matrix.
    pub assembly: f64,
    /// Symbolic and numeric factorisation.
    pub factor: f64,
    /// The rest: linear solves, line searches, cheap phases.
    pub solve: f64,
}

impl Times {
    /// Now, if the parts of a problem of so many bodies are timed.
    pub fn stamp(n_bodies: usize) -> Option<Instant> {
        (n_bodies > UNTIMED_BODIES).then(Instant::now)
    }

    /// Seconds from one stamp to another.
    pub fn between(start: Option<Instant>, end: Option<Instant>) -> f64 {
        start.zip(end).map_or(0.0, |(start, end)| (end - start).as_secs_f64())
    }

    /// Adds the times of another solve.
    pub fn add(&mut self, other: &Times) {
        self.geometry += other.geometry;
        self.assembly += other.assembly;
        self.factor += other.factor;
        self.solve += other.solve;
    }
}

/// Account of a solve: work, residual, last phase and times.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Info {
    /// Newton iterations (linear solves of the linearized problem).
    pub iterations: usize,
    /// Sweeps of the first-order stage.
    pub sweeps: usize,
    /// Numeric factorisations.
    pub factorizations: usize,
    /// Restarts after the solve was stuck.
    pub restarts: usize,
    /// Work in nanoseconds of a common core, counted, not measured: the same on every machine.
    pub work: u64,
    /// Residual of the returned iterate.
    pub residual: Residual,
    /// The last phase that was needed.
    pub phase: Phase,
    /// Seconds of the parts of the solve; `geometry` and `solve` are left to the caller.
    pub times: Times,
}

impl Info {
    /// Counts the refreshes of the geometry since they were counted last.
    pub fn count_refreshes(&mut self, problem: &mut dyn StepProblem) {
        self.work += problem.take_refresh_work();
    }

    /// Counts a Newton iteration.
    pub fn count_iteration(&mut self, problem: &ContactProblem) {
        self.iterations += 1;
        self.work += NEWTON_ROW * problem.n_rows() as u64 + NEWTON_BODY * problem.n_bodies() as u64;
    }

    /// Counts a numeric factorisation of so many products of blocks.
    pub fn count_factorization(&mut self, n_block_products: usize) {
        self.factorizations += 1;
        self.work += BLOCK_PRODUCT * n_block_products as u64;
    }

    /// Counts passes over the rows of a method without a matrix.
    pub fn count_passes(&mut self, n_passes: usize, problem: &ContactProblem) {
        self.work += SWEEP_ROW * (n_passes * problem.n_rows()) as u64;
    }

    /// Adds the work of another solve; residual and phase stay.
    pub fn add_work(&mut self, other: &Info) {
        self.iterations += other.iterations;
        self.sweeps += other.sweeps;
        self.factorizations += other.factorizations;
        self.restarts += other.restarts;
        self.work += other.work;
        self.times.add(&other.times);
    }
}
