//! Separations that a backend computed for many pairs at once.

use crate::contact::axis::separating_axis::Separation;

/// What was found elsewhere about a pair of boxes, or a half-space and a box, at a pose.
#[derive(Debug, Clone, Copy)]
pub enum PrecomputedSeparation {
    /// The axis of widest separation.
    Separation(Separation),
    /// Heights of the corners of B above the half-space A (m), in the order of the vertices.
    Heights([f64; 8]),
}
