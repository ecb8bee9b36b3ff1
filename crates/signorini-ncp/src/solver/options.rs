//! Options of one solve: accuracy, budget, start of ρ, and the methods that serve.

use crate::solver::info::Info;
use crate::solver::parameters::central_path::{FOLLOW_ABOVE_BODIES, MAX_PATH_ITERATIONS};
use crate::solver::parameters::interior_point::MAX_INTERIOR_ITERATIONS;
use crate::solver::parameters::linear_system::{MAX_CHOLESKY_ENTRIES, MAX_LU_PRODUCTS};
use crate::solver::parameters::proximal::{
    ACTIVE_SET_ITERATIONS, COLD_RHO, MAX_INNER_ITERATIONS, POLISH_RHO, SMALL_ISLAND_RHO, WARM_RHO,
};
use crate::solver::parameters::strategy::{
    ACCEPTED_START_FRACTION, EARLY_SUBSTEPPING_BODIES, EARLY_SUBSTEPPING_WORK, FLAT_FROM_BODIES,
    LINEARIZED_PATH_BELOW_RESIDUAL, MAX_ITERATIONS_LINEAR, MAX_PATH_RESTARTS, MAX_RESTARTS,
    MAX_RESTARTS_COLD, REFINEMENT_ITERATIONS, REFINEMENT_ITERATIONS_SMALL, REFINEMENT_RESIDUAL,
    REFINEMENT_RESIDUAL_FINE, SMALL_ISLAND_BODIES, STALL_ITERATIONS, STALL_ITERATIONS_AFTER_PATH,
    STALL_ITERATIONS_POLISH, STALL_ITERATIONS_REFINEMENT,
};
use crate::solver::status::SolveStatus;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Ends every solve of this process soon, with its best iterate, as at its time limit.
pub fn request_stop() {
    STOP_REQUESTED.store(true, Ordering::Relaxed);
}

/// Whether solves of this process should end.
pub fn is_stop_requested() -> bool {
    STOP_REQUESTED.load(Ordering::Relaxed)
}

/// Solver of the Newton systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinearSolver {
    /// The quickest by measurement: LU of small and medium islands, Cholesky with GMRES of large ones.
    #[default]
    Auto,
    /// LU of the true matrix, however large.
    Direct,
    /// No factorisation: an iteration preconditioned with the diagonal blocks.
    Krylov,
}

/// Switches of methods and the sizes at which they change over, for tests; no promise to users.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Methods {
    /// Whether islands of more than [`Self::small_island`] bodies are swept before Newton's method at a rough
    /// tolerance.
    pub solve_by_sweeps: bool,
    /// Bodies from which smooth islands are halved early: if sweeps did not converge and Newton's method
    /// takes more than a few iterations after them. Under the forces of an impact sweeps converge in
    /// shorter steps.
    pub early_substepping_bodies: usize,
    /// Those few iterations times bodies.
    pub early_substepping_work: usize,
    /// Bodies up to which an island counts as small: it starts with a ρ of its own, does not predict contact
    /// statuses, and is polished after it is solved.
    pub small_island: usize,
    /// Products of 6×6 blocks up to which an LU solves an island directly; larger islands take GMRES with a
    /// Cholesky factor.
    pub direct_block_products: usize,
    /// Bodies from which an island is solved in flat arrays, where its shapes and laws are known there.
    pub flat_from_bodies: usize,
    /// Entries of the Cholesky factor above which GMRES uses the diagonal blocks.
    pub cholesky_entries: usize,
    /// Iterations of Newton's method on active sets per attempt; 0: the method never serves.
    pub active_set_iterations: usize,
    /// Iterations of the interior point per attempt; 0: the method never serves.
    pub interior_iterations: usize,
    /// Iterations along the central path per attempt; 0: the path is never followed.
    pub path_iterations: usize,
    /// Bodies above which an island follows the central path by its length instead of by the interior point.
    pub path_above_bodies: usize,
    /// Restarts along central paths of a stuck solve before other restarts.
    pub path_restarts: usize,
    /// Residual below which restarts follow the path of the problem linearized at the best iterate.
    pub path_linearized_below: f64,
}

impl Default for Methods {
    fn default() -> Self {
        Self {
            solve_by_sweeps: true,
            early_substepping_bodies: EARLY_SUBSTEPPING_BODIES,
            early_substepping_work: EARLY_SUBSTEPPING_WORK,
            small_island: SMALL_ISLAND_BODIES,
            direct_block_products: MAX_LU_PRODUCTS,
            flat_from_bodies: FLAT_FROM_BODIES,
            cholesky_entries: MAX_CHOLESKY_ENTRIES,
            active_set_iterations: ACTIVE_SET_ITERATIONS,
            interior_iterations: MAX_INTERIOR_ITERATIONS,
            path_iterations: MAX_PATH_ITERATIONS,
            path_above_bodies: FOLLOW_ABOVE_BODIES,
            path_restarts: MAX_PATH_RESTARTS,
            path_linearized_below: LINEARIZED_PATH_BELOW_RESIDUAL,
        }
    }
}

impl Methods {
    /// Methods without the central path.
    fn without_central_path(self) -> Self {
        Self { interior_iterations: 0, path_iterations: 0, ..self }
    }
}

/// Target of a refinement: a step is solved below its tolerance where that takes few iterations, so that the
/// next step finds resting bodies at rest.
#[derive(Debug, Clone, Copy)]
pub struct RefinementTarget {
    /// Target residual.
    pub residual: f64,
    /// Newton iterations at most.
    pub iterations: usize,
    /// Whether an unconverged refinement is repeated from where the tolerance is met.
    pub repeats: bool,
}

impl RefinementTarget {
    /// Target of an island that moves.
    pub const MOVING: Self =
        Self { residual: REFINEMENT_RESIDUAL, iterations: REFINEMENT_ITERATIONS, repeats: false };
    /// Target of an island nearly at rest.
    pub const AT_REST: Self = Self { residual: REFINEMENT_RESIDUAL_FINE, ..Self::MOVING };
    /// Target of a small island, whose iterations cost next to nothing.
    pub const SMALL_ISLAND: Self =
        Self { residual: REFINEMENT_RESIDUAL_FINE, iterations: REFINEMENT_ITERATIONS_SMALL, repeats: true };
}

/// Options of one solve.
#[derive(Debug, Clone, Copy)]
pub struct SolveOptions {
    /// Residual at which the problem is solved.
    pub tolerance: f64,
    /// Work at which the solve ends with its best iterate, as [`Info::work`] counts it.
    pub work: u64,
    /// Wall clock end of each phase, if any; of the whole step if the problem is one of a scene.
    pub deadline: Option<Instant>,
    /// Newton iterations at most.
    pub iterations: usize,
    /// Newton iterations after unconverged sweeps at most.
    pub iterations_after_sweeps: usize,
    /// Restarts of a stuck solve.
    pub restarts: usize,
    /// Fraction of the tolerance at which a start is accepted unchanged.
    pub accepted_start: f64,
    /// Newton iterations of one proximal step at most.
    pub inner_iterations: usize,
    /// Outer iterations without halving the best residual before the solve counts as stuck.
    pub stall_iterations: usize,
    /// Stall limit after a restart along a central path.
    pub stall_iterations_after_path: usize,
    /// Proximal parameter ρ of a start without impulses.
    pub cold_rho: f64,
    /// ρ of a start with impulses.
    pub warm_rho: f64,
    /// Whether the first Newton iteration of a proximal step takes contact statuses from x̂.
    pub predicts_status: bool,
    /// Whether factors may be in f32 if GMRES corrects them.
    pub single_precision: bool,
    /// Solver of the Newton systems.
    pub linear_solver: LinearSolver,
    /// Methods that serve.
    #[doc(hidden)]
    pub methods: Methods,
}

impl SolveOptions {
    /// Options of a solve to `tolerance` with the defaults, however much work it takes.
    pub fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            work: u64::MAX,
            deadline: None,
            iterations: MAX_ITERATIONS_LINEAR,
            iterations_after_sweeps: usize::MAX,
            restarts: MAX_RESTARTS,
            accepted_start: ACCEPTED_START_FRACTION,
            inner_iterations: MAX_INNER_ITERATIONS,
            stall_iterations: STALL_ITERATIONS,
            stall_iterations_after_path: STALL_ITERATIONS_AFTER_PATH,
            cold_rho: COLD_RHO,
            warm_rho: WARM_RHO,
            predicts_status: true,
            single_precision: true,
            linear_solver: LinearSolver::Auto,
            methods: Methods::default(),
        }
    }

    /// Options of a cold solve: the first-order methods leave the central path little to do.
    pub fn cold(self) -> Self {
        Self { restarts: MAX_RESTARTS_COLD, methods: self.methods.without_central_path(), ..self }
    }

    /// Options after unconverged sweeps. If few iterations are to follow, no other method does.
    pub fn after_failed_first_order(self) -> Self {
        if self.iterations_after_sweeps >= self.iterations {
            return self;
        }
        let methods = self.methods.without_central_path();
        Self { iterations: self.iterations_after_sweeps, restarts: 0, methods, ..self }
    }

    /// Options of an island of at most [`Methods::small_island`] bodies.
    pub fn small_island(self) -> Self {
        let methods = Methods { active_set_iterations: 0, interior_iterations: 0, ..self.methods };
        let (cold_rho, warm_rho) = (SMALL_ISLAND_RHO, SMALL_ISLAND_RHO);
        Self { cold_rho, warm_rho, single_precision: false, predicts_status: false, methods, ..self }
    }

    /// Options of a refinement below the tolerance.
    pub fn refine(self, target: RefinementTarget) -> Self {
        Self {
            tolerance: target.residual,
            iterations: target.iterations.min(self.iterations),
            stall_iterations: STALL_ITERATIONS_REFINEMENT,
            restarts: 0,
            methods: Methods { path_restarts: 0, ..self.methods },
            ..self
        }
    }

    /// Options after `spent` iterations of the step.
    pub fn after(self, spent: usize) -> Self {
        Self { iterations: self.iterations.saturating_sub(spent), ..self }
    }

    /// Options of the polish of a solved small island, which took `spent` iterations, in at most `left` more.
    pub fn polish(self, tolerance: f64, spent: usize, left: usize) -> Self {
        Self {
            tolerance,
            iterations: spent + left,
            inner_iterations: left.min(self.inner_iterations),
            restarts: 0,
            methods: Methods { path_restarts: 0, ..self.methods },
            stall_iterations: STALL_ITERATIONS_POLISH,
            // The statuses are right by now: large ρ is Newton's method.
            warm_rho: POLISH_RHO,
            ..self
        }
    }

    /// Options of the next solve after others that took so much work.
    pub fn after_work(&self, spent: u64) -> Self {
        Self { work: self.work.saturating_sub(spent), ..*self }
    }

    /// Whether the time is up, or all solves are asked to end.
    pub fn is_stopped(&self) -> bool {
        is_stop_requested() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How a solve with this account has to end, if its work or its time is up.
    pub fn limit(&self, info: &Info) -> Option<SolveStatus> {
        if info.work >= self.work {
            return Some(SolveStatus::WorkLimit);
        }
        self.is_stopped().then_some(SolveStatus::TimeLimit)
    }
}
