//! What one solve is told: how accurate, for how long, from which ρ, by which methods.

use crate::solver::linear_solver::LinearSolver;
use crate::solver::methods::Methods;
use crate::solver::proximal::penalty::{COLD_RHO, POLISH_RHO, SMALL_ISLAND_RHO, WARM_RHO};
use crate::solver::stop::is_stop_requested;
use std::time::Instant;

/// Newton iterations of a whole solve of a linear problem.
const LINEAR_ITERATIONS: usize = 100_000;
/// A start is taken as it is at this fraction of the tolerance: the impulses of the last step still hold what
/// stopped the bodies then, and push them off again when they are kept.
const ACCEPTED_START: f64 = 0.1;
/// Restarts of a stuck solve.
const RESTARTS: usize = 3;
/// Inner Newton iterations per proximal step before the step counts as failed.
const INNER_ITERATIONS: usize = 10;
/// Outer iterations without halving the best residual before a restart follows.
const PATIENCE: usize = 80;
/// The same after a restart along a path: its end is near a solution, or the next path is the better start.
const PATH_PATIENCE: usize = 25;
/// The same where a solved step is polished.
const POLISH_PATIENCE: usize = 2;
/// What an island is solved to where that takes few iterations, though the tolerance is rougher: then the
/// next step finds at rest what is at rest.
pub const SETTLED: Settling = Settling { residual: 1e-6, iterations: 100, again: false };
/// The same of an island nearly at rest: what is left then is found again in the next step.
pub const RESTING: Settling = Settling { residual: 1e-8, ..SETTLED };
/// The same of a small island, whose iterations cost next to nothing.
pub const SETTLED_SMALL: Settling = Settling { residual: 1e-8, iterations: 60, again: true };
/// Outer iterations without halving the best residual after which that is given up.
const SETTLING_PATIENCE: usize = 10;
/// Restarts of a problem that is solved from nothing: no shorter step is left to be taken instead.
const COLD_RESTARTS: usize = 60;

/// What a step is solved to beyond its tolerance.
#[derive(Debug, Clone, Copy)]
pub struct Settling {
    /// The residual.
    pub residual: f64,
    /// Newton iterations that this may take.
    pub iterations: usize,
    /// Whether it is tried again from where the tolerance is met.
    pub again: bool,
}

/// Parameters of one solve.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The residual at which the problem is solved.
    pub tolerance: f64,
    /// Wall clock end of each phase, if any; of the whole step where it is one of a scene.
    pub deadline: Option<Instant>,
    /// Newton iterations at most.
    pub iterations: usize,
    /// The same after sweeps that ended in vain.
    pub after_sweeps: usize,
    /// Restarts of a stuck solve.
    pub restarts: usize,
    /// A start is taken as it is at this fraction of the tolerance.
    pub accepted_start: f64,
    /// Newton iterations of one proximal step at most.
    pub inner_iterations: usize,
    /// Outer iterations without halving the best residual before the solve counts as stuck.
    pub patience: usize,
    /// The same after a restart along a path.
    pub path_patience: usize,
    /// Proximal parameter ρ of a start without impulses.
    pub cold_rho: f64,
    /// ρ of a start with impulses.
    pub warm_rho: f64,
    /// Whether the first Newton iteration of a proximal step takes contact statuses from x̂.
    pub predicts_status: bool,
    /// Whether factors may be in f32 where GMRES corrects them.
    pub single_precision: bool,
    /// How Newton systems are solved.
    pub linear_solver: LinearSolver,
    /// Which methods serve.
    pub methods: Methods,
}

impl Run {
    /// A solve to `tolerance` with the defaults, as long as it takes.
    pub fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            deadline: None,
            iterations: LINEAR_ITERATIONS,
            after_sweeps: usize::MAX,
            restarts: RESTARTS,
            accepted_start: ACCEPTED_START,
            inner_iterations: INNER_ITERATIONS,
            patience: PATIENCE,
            path_patience: PATH_PATIENCE,
            cold_rho: COLD_RHO,
            warm_rho: WARM_RHO,
            predicts_status: true,
            single_precision: true,
            linear_solver: LinearSolver::Auto,
            methods: Methods::default(),
        }
    }

    /// The same for a problem that is solved from nothing: the first-order phases leave the central path
    /// little to do.
    pub fn cold(self) -> Self {
        let methods = Methods { interior_iterations: 0, path_iterations: 0, ..self.methods };
        Self { restarts: COLD_RESTARTS, methods, ..self }
    }

    /// The same after sweeps that ended in vain. Where few iterations are to follow, nothing else does.
    pub fn after_vain_sweeps(self) -> Self {
        if self.after_sweeps >= self.iterations {
            return self;
        }
        let methods = Methods { interior_iterations: 0, path_iterations: 0, ..self.methods };
        Self { iterations: self.after_sweeps, restarts: 0, methods, ..self }
    }

    /// The same for an island of at most [`Methods::small_island`] bodies.
    pub fn small_island(self) -> Self {
        let methods = Methods { active_set_iterations: 0, interior_iterations: 0, ..self.methods };
        let (cold_rho, warm_rho) = (SMALL_ISLAND_RHO, SMALL_ISLAND_RHO);
        Self { cold_rho, warm_rho, single_precision: false, predicts_status: false, methods, ..self }
    }

    /// The same to a residual below the tolerance, in a few iterations.
    pub fn settle(self, Settling { residual, iterations, .. }: Settling) -> Self {
        let methods = Methods { path_restarts: 0, ..self.methods };
        let iterations = iterations.min(self.iterations);
        Self { tolerance: residual, iterations, patience: SETTLING_PATIENCE, restarts: 0, methods, ..self }
    }

    /// The same after so many iterations of the step.
    pub fn after(self, spent: usize) -> Self {
        Self { iterations: self.iterations.saturating_sub(spent), ..self }
    }

    /// On from a solved small island, which took `spent` iterations, in at most `left` more.
    pub fn polish(self, tolerance: f64, spent: usize, left: usize) -> Self {
        Self {
            tolerance,
            iterations: spent + left,
            inner_iterations: left.min(self.inner_iterations),
            restarts: 0,
            methods: Methods { path_restarts: 0, ..self.methods },
            patience: POLISH_PATIENCE,
            // The statuses are right by now: large ρ is Newton's method.
            warm_rho: POLISH_RHO,
            ..self
        }
    }

    /// Whether the time is up, or all solves are asked to end.
    pub fn is_late(&self) -> bool {
        is_stop_requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
