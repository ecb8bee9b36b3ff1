//! Proximal Newton method (theory §6), Newton's method on active sets, and the infeasibility certificate.

// ---- ρ: small ρ is damped and robust, large ρ is exact Newton (theory (6.5)) ----

/// ρ of a start without impulses: damped by half per step, which is robust; ρ grows fivefold per step.
pub const COLD_RHO: f64 = 1.0;
/// ρ of a start with the impulses of the last step.
pub const WARM_RHO: f64 = 10.0;
/// ρ of small islands: fewest iterations for two spheres.
pub const SMALL_ISLAND_RHO: f64 = 3.0;
/// ρ of the polish of a small island: Newton's method, as the statuses are right.
pub const POLISH_RHO: f64 = 1e4;
/// ρ after a central path, whose end is near the solution.
pub const AFTER_PATH_RHO: f64 = 100.0;
/// ρ of a start nearly at rest at least: one constant value, so that the factor serves from step to step.
pub const AT_REST_RHO: f64 = 1e4;
/// Residual up to which a start counts as nearly at rest: its statuses are right.
pub const AT_REST_BELOW_RESIDUAL: f64 = 1e-5;
/// ρ of equations at least: equations have no statuses that a large ρ could flip.
pub const MIN_EQUATION_RHO: f64 = 1e4;
/// Smallest ρ: below it a proximal step hardly moves.
pub const MIN_RHO: f64 = 1e-2;
/// Largest ρ: above it the rounding of x̂ shows in y.
pub const MAX_RHO: f64 = 1e8;
/// Factor of ρ after a failed step.
pub const RHO_CUT: f64 = 0.1;
/// Factor of ρ after a step of at most [`FAST_ITERATIONS`].
pub const RHO_GROWTH_FAST: f64 = 5.0;
/// Factor of ρ after a step of at most [`MODERATE_ITERATIONS`].
pub const RHO_GROWTH: f64 = 2.0;
/// Newton iterations of a step that converged fast.
pub const FAST_ITERATIONS: usize = 2;
/// Newton iterations of a step that converged moderately.
pub const MODERATE_ITERATIONS: usize = 5;

// ---- Proximal step ----

/// Newton iterations of a proximal step before the step counts as failed.
pub const MAX_INNER_ITERATIONS: usize = 10;
/// The inner iteration stops at this fraction of the outer residual.
pub const INNER_TOLERANCE: f64 = 0.5;
/// The first inner iteration of a start nearly at rest goes on to this fraction of the tolerance: the error
/// left accelerates the bodies, and brings forward the next step that the last impulses do not solve.
pub const AT_REST_TOLERANCE: f64 = 1e-3;
/// Growth of the true residual up to which a converged proximal step is accepted (the iteration is not
/// monotone).
pub const MAX_GROWTH_CONVERGED: f64 = 3.0;
/// Growth of the true residual up to which an unconverged proximal step is accepted.
pub const MAX_GROWTH_UNCONVERGED: f64 = 2.0;
/// Halvings of a step whose refreshed geometry raised the residual, before ρ is cut.
pub const MAX_GEOMETRY_HALVINGS: i32 = 5;
/// Decrease of the residual that a halved step of length s has to reach: factor 1 − 0.1 s.
pub const GEOMETRY_DECREASE: f64 = 0.1;
/// Impulses are over-relaxed after a step that left more than this fraction of the residual.
pub const OVER_RELAX_ABOVE: f64 = 0.3;
/// ω of the over-relaxation (theory (6.6)).
pub const OVER_RELAXATION: f64 = 0.5;

// ---- Line search on the energy norm of F ----

/// Decrease of |F| that a step of length s has to reach: factor 1 − 2e-4 s.
pub const LINE_SEARCH_DECREASE: f64 = 2e-4;
/// Step length below which the line search gives up.
pub const MIN_LINE_SEARCH_STEP: f64 = 1e-4;

// ---- Newton's method on active sets ----

/// Iterations of Newton's method on the natural map per attempt.
pub const ACTIVE_SET_ITERATIONS: usize = 6;
/// Residual below which the method is tried: further from a solution it cycles.
pub const ACTIVE_SET_BELOW_RESIDUAL: f64 = 1e-3;
/// ρ of its equations: keeps hyperstatic contacts regular.
pub const ACTIVE_SET_RHO: f64 = 1e6;
/// Growth of the residual at which an attempt is given up.
pub const ACTIVE_SET_MAX_GROWTH: f64 = 1000.0;
/// Relative accuracy of its linear solves.
pub const ACTIVE_SET_ACCURACY: f64 = 1e-6;

// ---- Infeasibility certificate (Farkas' lemma) ----

/// Outer iterations without progress between two checks for a certificate.
pub const CERTIFICATE_CHECK_EVERY: usize = 20;
/// Entries of d below this fraction of the largest are noise.
pub const CERTIFICATE_NOISE: f64 = 1e-3;
/// |Jᵀ d| on a body, over the impulse that acts on it, below which d moves nothing.
pub const CERTIFICATE_BALANCE: f64 = 1e-2;
/// d·w has to be below this fraction of −Σ |d w|.
pub const CERTIFICATE_WORK: f64 = 0.5;
/// Certificates in a row that count as proof: the geometry of the next refresh may be another.
pub const CERTIFICATES_IN_A_ROW: usize = 2;
