//! Sensors: force and torque that bodies exert on others, or a joint on a body.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Axes in which a sensor tells its force and torque, and in which its point is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SensorFrame {
    /// Axes and origin of the world.
    World,
    /// Axes and origin of the first body on which the force acts.
    Body,
    /// Axes of the joint's frame in its body A, and its anchor in body B.
    Joint,
}

/// Forces that a sensor adds up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Sensed {
    /// Contacts and joints between bodies of two groups, by their names.
    Bodies {
        /// Bodies on which the force acts, at least one.
        on: Vec<String>,
        /// Bodies that exert it; None: all others.
        by: Option<Vec<String>>,
    },
    /// The reaction of a joint on its body B, by its name.
    Joint(String),
}

/// A sensor: force and torque at the end of each step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    /// Unique name.
    pub name: String,
    /// The forces.
    pub sensed: Sensed,
    /// Axes of its values.
    pub frame: SensorFrame,
    /// Point to which the torque belongs (m), in the frame. None: the centre of mass of the first body, or
    /// the anchor of the joint in body B.
    pub point: Option<Vector3<f64>>,
}
