//! Work of the pieces of a solve, in nanoseconds of a common core (3 GHz, AVX2). Counted work limits a step:
//! it is the same on every machine and under every load. Measured on islands of 2 to 1000 bodies, of which
//! the most are off by less than a factor of two.

/// Work that is counted as a second.
pub const SECOND: u64 = 1_000_000_000;

/// Geometry of a row: closest points, frame, stiffness, and the residual there.
pub const REFRESH_ROW: u64 = 400;

/// A row in a Newton iteration: law, derivatives, assembly, line search.
pub const NEWTON_ROW: u64 = 250;

/// A body in a Newton iteration.
pub const NEWTON_BODY: u64 = 300;

/// A product of 6×6 blocks in a factorisation.
pub const BLOCK_PRODUCT: u64 = 150;

/// A row in a sweep, in ADMM, or in a gradient step.
pub const SWEEP_ROW: u64 = 20;
