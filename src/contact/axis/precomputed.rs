//! Separations that a backend computed for many pairs at once.

use crate::contact::axis::separating_axis::Separation;

/// Separation of two boxes, or of a half-space and a box, that a backend found at a pose.
#[derive(Debug, Clone, Copy)]
pub enum PrecomputedSeparation {
    /// The axis of widest separation.
    Separation(Separation),
    /// Heights of the corners of B above the half-space A (m), in the order of the vertices.
    Heights([f64; 8]),
}
