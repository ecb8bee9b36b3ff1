//! Facing of two bodies: their separating axis at a pose.

use nalgebra::Vector3;

/// Separating axis of a flat pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct Facing {
    /// Unit normal of the separating axis, from A into B, world.
    pub normal: Vector3<f64>,
    /// Separation along it (m).
    pub gap: f64,
    /// Number of the features found that touch along the axis. The others may come to touch; they do not show
    /// that a contact point touches again.
    pub n_touching: usize,
}
