//! The head of a checkpoint, which every version can read.

use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Velocity};

/// Version that wrote a checkpoint, its simulated time, and the poses and velocities of the bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the program.
    pub version: String,
    /// Version of the state kept between steps, which may change while the program's version does not.
    pub memory: u32,
    /// Steps taken.
    pub step: usize,
    /// Time step h (s).
    pub time_step: f64,
    /// All bodies, fixed ones included, in the order of the scene.
    pub bodies: Vec<PlacedBody>,
}

/// A body at the time of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedBody {
    /// Its name.
    pub name: String,
    /// Centre of mass (m) and orientation, world.
    pub pose: Pose,
    /// Velocities (m/s, rad/s), world axes.
    pub velocity: Velocity,
}

impl Head {
    /// Simulated time (s).
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }
}
