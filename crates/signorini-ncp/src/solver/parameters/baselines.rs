//! Methods of the explicit models and of comparisons: Lemke, APGD, primal Newton, polygon of friction.

// ---- Lemke's method ----

/// Pivots per unknown.
pub const MAX_PIVOTS_PER_UNKNOWN: usize = 50;
/// Entries of a column below this fraction of its largest entry are rounding.
pub const PIVOT_TOLERANCE: f64 = 1e-11;
/// Difference of ratios below which they are a tie.
pub const RATIO_TIE: f64 = 1e-12;
/// Pivots that are applied to the entries at once: one product of matrices takes a fraction of the time.
pub const PIVOT_PANEL: usize = 32;

// ---- Accelerated projected gradient (APGD) ----

/// Gradient steps between two checks of the residual.
pub const APGD_CHECK_EVERY: usize = 10;
/// Factor of L after every accepted step, so that L follows the problem both ways.
pub const LIPSCHITZ_DECAY: f64 = 0.9;
/// L from which a step is accepted unconditionally.
pub const MAX_LIPSCHITZ: f64 = 1e30;
/// Rounding error of the curvature of a step, in units of f64's epsilon.
pub const CURVATURE_ROUNDING: f64 = 64.0;
/// Convex problems of one solve of Coulomb's law by a fixed point.
pub const MAX_CONVEX_PROBLEMS: usize = 1000;
/// Tolerance of each convex problem over the residual before it.
pub const CONVEX_TOLERANCE: f64 = 0.1;

// ---- Primal Newton method ----

/// Growth of the step length while no upper bound of it is known.
pub const BRACKET_GROWTH: f64 = 4.0;
/// Evaluations of the slope in one line search.
pub const MAX_SLOPE_EVALUATIONS: usize = 100;
/// Fraction of its first value at which the slope counts as zero.
pub const SLOPE_TOLERANCE: f64 = 1e-12;

// ---- Projections ----

/// Newton steps for the multiplier of the cone; every step but the last opens or closes a normal row.
pub const MAX_ROOT_STEPS: usize = 50;
/// Distance from the rim of the polygon, over its radius, at which friction is on the rim.
pub const ON_POLYGON: f64 = 1e-9;
/// Distance from a corner or an edge, in units of [`ON_POLYGON`], at which a projection is on it.
pub const NEAR_POLYGON: f64 = 1e3;
