//! What moves.

use crate::geometry::{Pose, Velocity};

/// Poses and velocities of all bodies (fixed ones included), world, at one instant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// Pose of each body.
    pub poses: Vec<Pose>,
    /// Velocity of each body.
    pub velocities: Vec<Velocity>,
}
