//! How two bodies face each other at a pose.

use nalgebra::Vector3;

/// What a pose says about a flat pair.
#[derive(Debug, Clone, Copy)]
pub struct Facing {
    /// Unit normal of the separating axis, from A into B, world.
    pub normal: Vector3<f64>,
    /// Separation along it (m).
    pub gap: f64,
    /// So many of the features found touch along the axis. The others may come to touch; it is no sign that a
    /// contact point touches again.
    pub n_touching: usize,
}
