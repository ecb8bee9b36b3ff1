//! Order of methods, budgets of a solve, refinement below the tolerance, and restarts.

/// Newton iterations of a whole solve of a linear problem.
pub const MAX_ITERATIONS_LINEAR: usize = 100_000;
/// A start is accepted unchanged at this fraction of the tolerance: the impulses of the last step still hold
/// the momentum that stopped the bodies then, and would push the bodies apart if they were kept.
pub const ACCEPTED_START_FRACTION: f64 = 0.1;
/// Bodies up to which an island counts as small: Newton's method then solves in microseconds.
pub const SMALL_ISLAND_BODIES: usize = 6;
/// Bodies from which an island is solved in flat arrays: from there on sweeps, each of a cost in proportion
/// to the bodies, take less than Newton's iterations.
pub const FLAT_FROM_BODIES: usize = 16;
/// Problems of at most this many bodies are not timed part by part: the clock would take 3 to 5 % of their
/// time.
pub const UNTIMED_BODIES: usize = 6;

/// Smooth islands from this many bodies on are halved early after unconverged sweeps.
pub const EARLY_SUBSTEPPING_BODIES: usize = 128;
/// Newton iterations times bodies that such an island is given after unconverged sweeps.
pub const EARLY_SUBSTEPPING_WORK: usize = 20_000;

// ---- Stall: outer iterations without halving the best residual ----

/// Outer iterations without halving the best residual before a restart follows.
pub const STALL_ITERATIONS: usize = 80;
/// Stall limit after a restart along a central path: the end of the path is near a solution, or the next path
/// is the better start.
pub const STALL_ITERATIONS_AFTER_PATH: usize = 25;
/// Stall limit of the polish of a solved small island.
pub const STALL_ITERATIONS_POLISH: usize = 2;
/// Stall limit of a refinement below the tolerance.
pub const STALL_ITERATIONS_REFINEMENT: usize = 10;

// ---- Refinement: a solve below the tolerance, so that the next step finds resting bodies at rest ----

/// Target residual of a refinement.
pub const REFINEMENT_RESIDUAL: f64 = 1e-6;
/// Target residual of a refinement of an island that is small or nearly at rest: an error that is left would
/// be found again in the next step.
pub const REFINEMENT_RESIDUAL_FINE: f64 = 1e-8;
/// Newton iterations of a refinement.
pub const REFINEMENT_ITERATIONS: usize = 100;
/// Newton iterations of a refinement of a small island.
pub const REFINEMENT_ITERATIONS_SMALL: usize = 60;

// ---- Cold start: first-order methods ----

/// First-order methods run in a cold solve if the residual of the start exceeds this limit; below it proximal
/// Newton is quicker.
pub const FIRST_ORDER_ABOVE_RESIDUAL: f64 = 1e-2;
/// ADMM iterations of a cold start.
pub const ADMM_ITERATIONS_COLD: usize = 50;

// ---- Restarts of a stuck solve ----

/// Restarts of a stuck solve.
pub const MAX_RESTARTS: usize = 3;
/// Restarts of a cold solve: no shorter step remains as a fallback.
pub const MAX_RESTARTS_COLD: usize = 60;
/// Restarts along central paths of a stuck solve before other restarts: a path of a creeping pile reaches its
/// end by chance only.
pub const MAX_PATH_RESTARTS: usize = 4;
/// Residual below which restarts follow the path of the problem linearized at the best iterate: contact
/// points that come and go make paths of the step's own problem useless.
pub const LINEARIZED_PATH_BELOW_RESIDUAL: f64 = 1e-4;
/// Seed of scattered impulses and of the weights of paths: equal problems give equal bits.
pub const SEED: u64 = 1;
/// Smallest factor of an impulse in a scattered restart.
pub const SCATTER_MIN: f64 = 0.8;
/// Largest factor of an impulse in a scattered restart.
pub const SCATTER_MAX: f64 = 1.2;
/// ADMM iterations of a restart.
pub const ADMM_ITERATIONS_RESTART: usize = 300;

// ---- ADMM ----

/// ADMM iterations between two checks of the residual and of the balance of primal and dual residual.
pub const ADMM_CHECK_EVERY: usize = 10;
/// Ratio of primal and dual residual from which ρ changes.
pub const ADMM_IMBALANCE: f64 = 5.0;
/// Smallest and largest factor of one change of ρ.
pub const ADMM_RHO_CHANGE: [f64; 2] = [0.1, 10.0];
/// Over-relaxation; theory allows values below 2, and 1.6 is usual.
pub const ADMM_OVER_RELAXATION: f64 = 1.6;
/// Changes of ρ, each with a factorisation.
pub const ADMM_REFACTORIZATIONS: usize = 4;
