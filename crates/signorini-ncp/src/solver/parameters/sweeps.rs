//! Projected Gauss–Seidel sweeps (theory §6.9): which problems are swept, until when, and how.

// ---- Problems that are swept ----

/// Tolerance from which smooth islands are swept: at finer tolerances sweeps save Newton's method few
/// iterations.
pub const SWEEP_ABOVE_TOLERANCE: f64 = 1e-5;
/// Tolerance from which islands with manifolds are swept.
pub const SWEEP_MANIFOLDS_ABOVE_TOLERANCE: f64 = 1e-4;
/// Bodies from which islands with manifolds are swept: Newton's method is as quick in smaller ones.
pub const SWEEP_MANIFOLDS_FROM_BODIES: usize = 32;

// ---- Budget ----

/// Linearizations of one sweep stage.
pub const MAX_LINEARIZATIONS: usize = 10;
/// Sweeps per linearization: Newton's method solves a hard step in the time of some thousands.
pub const MAX_SWEEPS: usize = 2000;
/// Sweeps per linearization with manifolds. Their contact points come and go between linearizations: a
/// residual that one linearization does not reach the next one may.
pub const MAX_SWEEPS_MANIFOLDS: usize = 300;
/// Sweeps of a cold start: sweeps of cold problems seldom converge in fewer than their rate promises.
pub const MAX_SWEEPS_COLD: usize = 400;

// ---- Target residual of a linearization ----

/// Target residual over the tolerance: the moving geometry adds the rest. After a linearization that failed
/// the target is half of it.
pub const TARGET_FRACTION: f64 = 0.8;
/// Target residual over the tolerance at the first linearization, which is that of the last step: geometry
/// moves more.
pub const FIRST_TARGET_FRACTION: f64 = 3.0;
/// Target residual at the first linearization over the residual of the start, whatever the tolerance, unless
/// Newton's method starts where sweeps end.
pub const FIRST_TARGET_OF_RESIDUAL: f64 = 0.03;
/// Tolerance from which a smooth island is swept again after a linearization that missed its target; at finer
/// tolerances Newton's method is quicker.
pub const REPEAT_ABOVE_TOLERANCE: f64 = 3e-4;
/// A linearization that leaves more than this fraction of the best residual has failed.
pub const SUFFICIENT_DECREASE: f64 = 0.7;
/// Failed linearizations in a row that end the sweep stage.
pub const MAX_FAILED_LINEARIZATIONS: usize = 2;

// ---- Iteration ----

/// Sweeps between two checks of the residual at least.
pub const MIN_BLOCK: usize = 3;
/// Such a block is longer by the number of sweeps so far over this number.
pub const BLOCK_DIVISOR: usize = 8;
/// Sweeps between two updates of lagged terms.
pub const UPDATE_LAGGED_EVERY: usize = 16;
/// Residual over its target below which lagged terms are updated after every block of sweeps.
pub const UPDATE_LAGGED_BELOW: f64 = 2.0;
/// Sweeps after which friction rows of manifolds follow the load: after more, rows and load may cycle.
pub const FOLLOW_LOAD_AFTER: usize = 3;
/// Sweeps after which friction rows follow the load at the latest while the residual falls: each update
/// restarts the extrapolation.
pub const FOLLOW_LOAD_WITHIN: usize = 16;
/// Sweeps before the first check of progress; later checks follow when the number of sweeps has doubled.
pub const FIRST_PROGRESS_CHECK: usize = 256;
/// Friction step size times the largest eigenvalue of the friction rows: 2 would not converge.
pub const FRICTION_STEP: f64 = 1.5;
/// Geometric stiffness over mass up to which sweeps converge with the stiffness lagged and undamped.
pub const UNDAMPED_STIFFNESS: f64 = 0.5;
/// Squared length below which a vector counts as zero.
pub const ZERO_SQUARE: f64 = 1e-300;

// ---- Layout ----

/// Contacts of a batch: an AVX-512 register holds 8 numbers in f64.
pub const LANES: usize = 8;
/// Bodies of the smallest partition: partitions are halved from twice as many on, as fewer bodies are swept
/// in the time that sharing takes.
pub const MIN_PARTITION_BODIES: usize = 64;
/// Normal rows of manifolds are padded to a multiple of this number: more exact sizes give small batches.
pub const ROW_PADDING: usize = 4;
/// Bodies, roots or batches that a thread takes at a time.
pub const CHUNK: usize = 64;
