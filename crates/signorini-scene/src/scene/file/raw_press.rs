//! Plates that press, as a scene file writes them.

use super::raw_joints::CourseEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[press]]`: a plate that slides along a direction without turning, and presses with a force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PressEntry {
    /// Name of a body of `[[body]]` that can move.
    pub body: String,
    /// Where it presses, world axes, of any length.
    pub direction: [f64; 3],
    /// Force (N), > 0, besides the weight of the plate, which it does not feel along the direction. Either
    /// this or `stress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// Stress (Pa), > 0: the force is stress · area, or stress times both `widths`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<f64>,
    /// With `stress`: area (m²), > 0; or `widths`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// With `stress`: both widths of the area, which change with the bodies between which they are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<[WidthEntry; 2]>,
    /// Largest speed with which the plate goes on where nothing resists (m/s), > 0. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
}

/// A width of an area: the distance of two bodies along a direction.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WidthEntry {
    /// Names of two bodies: from where the first one ends along the direction to where the second one begins.
    pub between: [String; 2],
    /// Direction from the first to the second one, world axes, of any length.
    pub along: [f64; 3],
}

/// `[[servo]]`: the force of a motor is a stress times the area between bodies, as it is at the start of each
/// step. A motor with a velocity has it as its largest force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServoEntry {
    /// Name of a motor that gives a force, or reaches a velocity.
    pub motor: String,
    /// Stress (Pa) at the end of the step; below 0 it counts as 0.
    pub stress: CourseEntry,
    /// Both widths of the area.
    pub widths: [WidthEntry; 2],
}
