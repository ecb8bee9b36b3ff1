//! Interior point: Mehrotra's predictor and corrector along the central path.

/// Interior-point iterations per attempt.
pub const MAX_INTERIOR_ITERATIONS: usize = 40;
/// Centering: τ is the mean product times this power of the fraction of it that the prediction leaves.
pub const CENTERING_EXPONENT: i32 = 2;
/// Smallest fraction of the mean product that a prediction counts as left.
pub const MIN_CENTERING: f64 = 1e-6;
/// Step length below which a step is made again without second-order terms.
pub const SHORT_STEP: f64 = 0.1;
/// Fraction of the way to the boundary that a step takes.
pub const BOUNDARY_FRACTION: f64 = 0.99;
/// Fraction of the way to the boundary that a step takes if the boundary is on its first half.
pub const BOUNDARY_FRACTION_SHORT: f64 = 0.7;
/// Iterations without halving the mean product after which an attempt is given up.
pub const INTERIOR_STALL_ITERATIONS: usize = 8;
/// Residual below which the end of an attempt is kept; from a larger one the proximal method does worse than
/// from the warm start.
pub const INTERIOR_KEEP_BELOW_RESIDUAL: f64 = 1e-4;
/// Decrease of the residual after which Newton's method on active sets is tried again.
pub const INTERIOR_FINISH_DECREASE: f64 = 0.03;
/// Relative accuracy of linear solves without an LU (solutions by LU are taken unchanged).
pub const INTERIOR_ACCURACY: f64 = 1e-6;
