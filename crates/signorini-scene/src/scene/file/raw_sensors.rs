//! Sensors, as a scene file writes them.

use crate::scene::sensor::SensorFrame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Axes of a sensor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrameName {
    /// Axes and origin of the world.
    #[default]
    World,
    /// Axes of the first body of `on`, and the origin of the frame in which it is given.
    Body,
    /// Axes of the joint's frame in its body A, and its anchor.
    Joint,
}

impl From<FrameName> for SensorFrame {
    fn from(name: FrameName) -> Self {
        match name {
            FrameName::World => Self::World,
            FrameName::Body => Self::Body,
            FrameName::Joint => Self::Joint,
        }
    }
}

impl From<SensorFrame> for FrameName {
    fn from(frame: SensorFrame) -> Self {
        match frame {
            SensorFrame::World => Self::World,
            SensorFrame::Body => Self::Body,
            SensorFrame::Joint => Self::Joint,
        }
    }
}

/// `[[sensor]]`: force and torque on bodies, or of a joint, in each step; rows of `sensors.csv`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorEntry {
    /// Unique name.
    pub name: String,
    /// Names of the bodies on which the force acts. Either this or `joint`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// Names of the bodies that exert it, by contacts and joints. Default: all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Vec<String>>,
    /// Name of a joint, whose reaction on body B is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Axes of force, torque and point.
    #[serde(default)]
    pub frame: FrameName,
    /// Point to which the torque belongs (m), in the frame. Default: the centre of mass of the first body of
    /// `on`, or the anchor of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
}
