//! The proximal parameter ρ: where it starts and how it changes (theory (6.5)).
//!
//! ρ is a number without unit: the proximal weight of a row is ρ r. Small ρ is damped and robust, large ρ is
//! exact Newton.

/// ρ of a start without impulses: damped by half per step, which is robust; it grows fivefold per step.
pub const COLD_RHO: f64 = 1.0;
/// ρ of a start with the impulses of the last step.
pub const WARM_RHO: f64 = 10.0;
/// ρ of islands of a few bodies: fewest iterations for two spheres.
pub const SMALL_ISLAND_RHO: f64 = 3.0;
/// ρ of the polish of a small island: Newton's method, as the statuses are right.
pub const POLISH_RHO: f64 = 1e4;
/// A start with at most this residual is nearly at rest: its statuses are right…
pub const REST_BELOW: f64 = 1e-5;
/// …and it begins with at least this ρ, always the same, so that the factor serves from step to step.
pub const REST_RHO: f64 = 1e4;
/// ρ after a central path, whose end is near the solution.
pub const PATH_RHO: f64 = 100.0;
/// ρ of equations at least: they have no statuses that a large ρ could flip.
pub const EQUATION_RHO: f64 = 1e4;
/// Floor: below it a proximal step hardly moves.
pub const SMALLEST_RHO: f64 = 1e-2;
/// Cap: above it the rounding of x̂ shows in y.
const LARGEST_RHO: f64 = 1e8;
/// Factor after a failed step…
pub const CUT: f64 = 0.1;
/// …after one that took at most 2 Newton iterations…
const FAST_GROWTH: f64 = 5.0;
/// …and after one that took at most 5.
const GROWTH: f64 = 2.0;

/// ρ of the next step: quick convergence means that more exactness is affordable; failure means damping.
pub fn next_rho(rho: f64, converged: bool, iterations: usize) -> f64 {
    let factor = if !converged {
        CUT
    } else if iterations <= 2 {
        FAST_GROWTH
    } else if iterations <= 5 {
        GROWTH
    } else {
        1.0
    };
    (rho * factor).clamp(SMALLEST_RHO, LARGEST_RHO)
}
