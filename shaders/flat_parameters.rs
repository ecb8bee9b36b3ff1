//! Numbers of the flat step's kernels, with their reasons; the flat step on the CPU takes them from here.

/// Least square of a friction impulse that is shortened to its ball (N² s²).
pub const LEAST_SQUARE: f64 = 1e-30;
/// Steps of the extrapolation below this are none (N s, m/s): denormal numbers are slow.
pub const LEAST_STEP: f64 = 1e-30;
/// Mismatch of closest points, over the widths, at which a search ends: its velocities are those of an
/// iterate.
pub const MISMATCH: f64 = 1e-7;
/// Least squared length of the last tangent's projection that still gives the next tangent.
pub const SHORT_TANGENT: f64 = 0.01;
/// Least effective inverse mass (1/kg).
pub const LEAST_RESPONSE: f64 = 1e-20;
/// Step size of friction with torsion times the Frobenius norm of its response.
pub const FRICTION_STEP: f64 = 1.4;
/// Longest turn of an iterate (rad).
pub const MOST_TURN: f64 = 3.0;
/// Terms of the series of sine and cosine behind the first: up to the longest turn the rest is below the
/// rounding of f64.
pub const TERMS: usize = 10;
/// Largest factor β.
pub const MOST_BETA: f64 = 0.95;
/// Passes after which the proximal term takes the impulses as its new centre.
pub const RECENTRE: usize = 16;
