//! Plates that press, as a scene file writes them.

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
    /// Stress (Pa), > 0: the force is stress · area.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<f64>,
    /// With `stress`: area (m²), > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<f64>,
    /// Largest speed with which the plate goes on where nothing resists (m/s), > 0. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
}
