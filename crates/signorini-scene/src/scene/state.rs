//! The state of a scene: poses and velocities of its bodies.

use signorini_geometry::{Pose, Velocity};

/// Poses and velocities of all bodies (fixed ones included), world, at one instant.
#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct State {
    /// Pose of each body.
    pub poses: Vec<Pose>,
    /// Velocity of each body.
    pub velocities: Vec<Velocity>,
}

/// Written by hand, because a derived `clone_from` allocates.
impl Clone for State {
    fn clone(&self) -> Self {
        Self { poses: self.poses.clone(), velocities: self.velocities.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.poses.clone_from(&source.poses);
        self.velocities.clone_from(&source.velocities);
    }
}
