//! Parameters of derivatives of solutions.

/// ρ at which rows that hold are made regular. Rounding grows with it (the adjoint of a sliding cube errs by
/// 1e-8 at 1e6, by 1e-13 at 1e4), rounds where rows resist each other fall with it (a stack of boxes does not
/// get there in 40 at 1e3).
pub const SENSITIVITY_RHO: f64 = 1e4;

/// Rounds at most.
pub const MAX_ROUNDS: usize = 40;

/// Change that the next round would make, over the largest velocity, at which a round is the last one. At
/// 1e-11 a pile of 64 ellipsoids takes seven rounds, not nine, but of driven chains whose rows resist each
/// other forwards and backwards differ by 3e-9.
pub const ROUND_ACCURACY: f64 = 1e-13;

/// Change of impulses in a round below which it is rounding when it does not fall.
pub const ROUNDING_BELOW: f64 = 1e-9;

/// Distance of the natural map from a change of status, in the unit of the cone, that is a border.
pub const AT_BORDER: f64 = 1e-7;
