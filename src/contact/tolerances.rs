//! Geometric tolerances of the contact room.

pub use crate::kernels::constants::CLOSEST_POINT_TOLERANCE;

/// Normals that enclose at least this cosine are of the same side.
pub const SAME_SIDE: f64 = 0.5;

/// Directions whose sine is at most this are parallel: the point where two such lines cross is not computed.
pub const PARALLEL_SINE: f64 = 1e-12;

/// Features are taken up this part of the pair's size above the lowest.
pub const FEATURE_MARGIN: f64 = 0.05;
