//! Parameters of derivatives of solutions.

/// ρ at which rows that hold are made regular. Rounds fall with it: a pile of 64 ellipsoids takes nine, five
/// and four at 1e4, 1e5 and 1e6. Rounding grows with it: at 1e6 one of nine random scenes differed by 1e-10
/// forwards and backwards; at 1e5 the median of 100 is 1e-14.
pub const SENSITIVITY_RHO: f64 = 1e5;

/// Rounds at most.
pub const MAX_ROUNDS: usize = 40;

/// Change that the next round would make, over the largest velocity, at which a round is the last one. At
/// 1e-11 driven chains whose rows resist each other differ by 3e-9 forwards and backwards.
pub const ROUND_ACCURACY: f64 = 1e-13;

/// Change of impulses in a round below which it is rounding when it does not fall.
pub const ROUNDING_BELOW: f64 = 1e-9;

/// Distance of the natural map from a change of status, in the unit of the cone, that is a border.
pub const AT_BORDER: f64 = 1e-7;

/// Change of impulses over that of the round before up to which rounds go on although velocities stand.
pub const HALVES: f64 = 0.5;

/// That of adjoints, whose impulses are results. Those that grow change by k/(k + 1) times as much.
pub const STILL_FALLS: f64 = 0.9;
