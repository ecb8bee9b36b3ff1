//! Every number of the flat step, with its reason.

/// Bodies that a leaf of the tree of sections holds at most: large enough that batches of eight contacts
/// without a common body are nearly full, small enough that threads share a thousand bodies.
pub const LEAF: usize = 256;

/// Most Newton steps of a search for closest points; two or three are usual.
pub const CLOSEST_ITERATIONS: usize = 40;
/// Most halvings of a Newton step that does not raise the separation.
pub const CLOSEST_TRIALS: usize = 20;
/// Least curvature, over the trace, that Newton's matrix of the closest points may have as it is.
pub const FLAT_CURVATURE: f64 = 1e-3;
/// Least curvature, over the trace, that it is raised to.
pub const FLAT_SHIFT: f64 = 0.1;
/// Longest turn of the normal in a Newton step (rad).
pub const MOST_TURN: f64 = 0.5;
/// Change of the separation that rounding explains (m).
pub const SEPARATION_ROUNDING: f64 = 1e-13;
/// Mismatch of closest points, over the widths, at which a turn stops its search: its velocities are those
/// of an iterate.
pub const TURN_MISMATCH: f64 = 1e-7;
/// Mismatch of closest points, over the widths, at which the check stops its search.
pub const CHECK_MISMATCH: f64 = 1e-9;

/// Bodies that a thread takes to their end at a time.
pub const FLOWN_TOGETHER: usize = 64;

/// Least squared length of the last tangent's projection that still gives the next tangent.
pub const SHORT_TANGENT: f64 = 0.01;
/// Least effective inverse mass (1/kg).
pub const LEAST_RESPONSE: f64 = 1e-20;
/// Step size of friction with torsion times the Frobenius norm of its response: the step must respect the
/// largest eigenvalue.
pub const FRICTION_STEP: f64 = 1.4;
/// Least squared length of a friction impulse that is shortened to its disc (N² s²).
pub const LEAST_FRICTION_SQUARE: f32 = 1e-30;

/// Longest turn of a body in an iterate (rad); a solution is checked at its true pose.
pub const MOST_ITERATE_TURN: f64 = 3.0;

/// Sweeps before the first turn of a solve with smooth contacts: an early one prevents most limit cycles.
pub const FIRST_TURN: usize = 2;
/// Sweeps between turns, at first.
pub const SWEEPS: usize = 16;
/// Fewest and most sweeps between turns.
pub const FEWEST_SWEEPS: usize = 8;
/// See [`FEWEST_SWEEPS`].
pub const MOST_SWEEPS: usize = 32;
/// Sweeps end early where no impulse changes by more than this part of the tolerance.
pub const STILL: f64 = 0.4;
/// A check follows a turn that saw no change above this many tolerances.
pub const CHECKED_BELOW: f64 = 4.0;
/// Batches whose Jᵀx moves by more than this many tolerances in a turn have their geometry renewed in every
/// sweep.
pub const HOT: f64 = 1.0;
/// Jᵀx that moves by more than this part of the tolerance in a turn, and not half of what it moved before,
/// brings the next turn nearer.
pub const STILL_MOVING: f64 = 0.3;
/// Jᵀx that moves by less than this part of the tolerance puts the next turn off.
pub const HARDLY_MOVING: f64 = 0.1;

/// Largest factor β of the conjugate extrapolation.
pub const MOST_EXTRAPOLATION: f64 = 0.95;
/// Directions below this (N s or m/s) are dropped: denormal numbers cost a hundred times as much.
pub const LEAST_DIRECTION: f32 = 1e-30;

/// Tolerance below which the proximal term is used.
pub const PROXIMAL_BELOW: f64 = 1e-2;
/// Weight e of the proximal term.
pub const PROXIMAL: f32 = 1e-2;
/// Sweeps after which the proximal term takes the impulses as its new centre.
pub const RECENTRE: usize = 16;

/// Weight of an overlap in the residual: a quarter of the tolerance, relative to the smaller body, is as
/// bad as a residual of the tolerance. The referee asks for the tolerance.
pub const OVERLAP: f64 = 4.0;
