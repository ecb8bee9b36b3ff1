//! Central path of exact Coulomb friction (theory §8): when it is tried, its start, and how it is followed by
//! its length.
//!
//! The barrier parameter τ is the product that every contact has on the path. Its size is measured as β =
//! √(τ m)/u with the largest mass m and the unit of momentum u: the residual that a point of the path has.

// ---- When it is tried ----

/// Tolerance below which the central path serves: the path ends at 1e-4 and less, and a warm start meets
/// rougher tolerances in fewer iterations.
pub const PATH_BELOW_TOLERANCE: f64 = 1e-3;
/// Residual of the start above which the path is tried; nearer a solution the warm start is worth more.
pub const PATH_ABOVE_RESIDUAL: f64 = 1e-2;
/// Solves left out after a failed attempt at most; each failure doubles their number.
pub const MAX_BACK_OFF: usize = 15;
/// Bodies above which an island follows the path by its length instead of by the interior point: the former
/// passes turns at which the latter gives up, in more iterations.
pub const FOLLOW_ABOVE_BODIES: usize = 400;
/// Iterations along the path per attempt.
pub const MAX_PATH_ITERATIONS: usize = 2000;

// ---- Start ----

/// Fraction of the fastest approach that the first impulses stop.
pub const INITIAL_SPEED_FRACTION: f64 = 0.3;
/// Smallest speed that the first impulses stop, over the unit of momentum per largest mass.
pub const MIN_INITIAL_SPEED: f64 = 1e-3;
/// β of the start at least: there the path is unique.
pub const INITIAL_BARRIER: f64 = 2.0;
/// Iterations to reach the path at the start; then τ is raised and the start made again.
pub const MAX_CENTERING_ITERATIONS: usize = 15;
/// Starts of an attempt.
pub const MAX_STARTS: usize = 4;
/// Factor of τ from one start to the next.
pub const TAU_INCREASE: f64 = 10.0;
/// Weights of the contacts of a weighted path are between e^−1.4 and e^1.4.
pub const WEIGHT_SPREAD: f64 = 1.4;
/// ρ of equations on the path.
pub const PATH_EQUATION_RHO: f64 = 1e6;

// ---- Predictor: a step along the tangent, measured by the largest change of a logarithm ----

/// Longest predictor step.
pub const MAX_PREDICTOR_STEP: f64 = 2.0;
/// Shortest predictor step: from there on a point that corrections do not reach is corrected further.
pub const MIN_PREDICTOR_STEP: f64 = 0.01;
/// Distance from the path above which a predictor step is made again, shorter.
pub const MAX_PREDICTOR_DISTANCE: f64 = 0.7;
/// Factor of the step length after a step too far.
pub const PREDICTOR_CUT: f64 = 0.4;
/// Growth of the step length after a step that needed no correction.
pub const PREDICTOR_GROWTH: f64 = 1.4;
/// Growth of the step length after a step that ended close to the path.
pub const PREDICTOR_GROWTH_FAST: f64 = 2.0;
/// Distance over the tolerance of a point below which the step length grows fast.
pub const GROW_FAST_BELOW: f64 = 0.3;

// ---- Corrector: Newton's method back to the path ----

/// Distance up to which a point counts as on the path: no logarithm would change more on the way to it.
/// Points before short steps and near turns are more exact.
pub const ON_PATH_TOLERANCE: f64 = 0.25;
/// Longest corrector step.
pub const MAX_CORRECTOR_STEP: f64 = 1.0;
/// Corrections of one step.
pub const MAX_CORRECTIONS: usize = 4;
/// A correction that leaves more than this fraction of the distance has failed.
pub const MIN_CONTRACTION: f64 = 0.7;
/// Slope of the path above which it may turn, and is followed closely.
pub const TURN_SLOPE: f64 = 3.0;
/// Tolerance of points near a turn.
pub const TURN_TOLERANCE: f64 = 0.05;
/// Weight of ln τ beside the contacts on the shortest way to the path: a fifth of the number of contacts.
pub const TAU_WEIGHT: f64 = 0.2;
/// Changes of logarithms below this limit are made in the impulses instead. Gaps are known to some 1e-17 m,
/// which over h is 1e-2 of the slack of a contact with 6 p_ref where one with 0.003 p_ref is solved to 1e-8.
/// Newton's method follows that rounding for ever, and slacks that it balanced to first order only stayed
/// open by 1e-4 p_ref.
pub const SMALL_LOG_CHANGE: f64 = 0.02;

// ---- Small barrier parameter ----

/// β below which contact statuses are definite.
pub const SMALL_BARRIER: f64 = 1e-3;
/// Residual over β that marks a point as inexact at a small barrier parameter.
pub const MAX_RESIDUAL_OVER_BARRIER: f64 = 30.0;
/// Tolerance of such a point over β.
pub const SMALL_BARRIER_TOLERANCE: f64 = 1e-2;
/// Smallest tolerance that rounding allows.
pub const ROUNDING_TOLERANCE: f64 = 1e-8;

// ---- End of an attempt ----

/// β at the end of the path.
pub const FINAL_BARRIER: f64 = 1e-9;
/// τ over τ of the start above which a path that came back goes on to infinity.
pub const DIVERGED: f64 = 1e6;
/// Iterations without halving τ after which an attempt is given up: turns may take hundreds to pass.
pub const PATH_STALL_ITERATIONS: usize = 400;
/// Stall limit where the sign of the determinant is unknown: a path that turned back does not return.
pub const PATH_STALL_ITERATIONS_UNGUIDED: usize = 60;
/// Residual below which the end of an attempt is kept, if it is not the solution.
pub const PATH_KEEP_BELOW_RESIDUAL: f64 = 1e-3;
/// Decrease of the residual after which Newton's method on active sets is tried again.
pub const PATH_FINISH_DECREASE: f64 = 0.2;

// ---- Directions ----

/// Accuracy of linear solves at a small barrier parameter: slacks are small differences of velocities.
pub const SMALL_BARRIER_ACCURACY: f64 = 1e-13;
/// Accuracy of linear solves elsewhere on the path.
pub const PATH_ACCURACY: f64 = 1e-6;
/// Accuracy of linear solves with factors in f32: 1e-2 takes more points, 1e-6 more time in the solves than
/// the factors save.
pub const PATH_ACCURACY_SINGLE: f64 = 1e-4;
/// Stiffness of a contact over its effective mass above which factors are in f64: a few times the resolution
/// of f32.
pub const SINGLE_MAX_STIFFNESS: f64 = 4.0 / f32::EPSILON as f64;
/// GMRES iterations from which a solve with factors in f32 counts as diverged; the factor is made again in
/// f64.
pub const SINGLE_MAX_ITERATIONS: usize = 10;
/// Points with factors in f64 after a diverged solve at most; each failure doubles their number.
pub const MAX_DOUBLE_POINTS: usize = 31;
/// Derivative of a contact of one contact point, over its effective mass, above which its impulses stay
/// unknowns: eliminated, they would cost the digits of masses beside them.
pub const EXPLICIT_STIFFNESS: f64 = 1e5;
