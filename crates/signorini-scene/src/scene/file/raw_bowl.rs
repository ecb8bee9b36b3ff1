//! Vibrating bowls as written in a scene file.
//!
//! The doc comments are the descriptions of the published JSON schema.

use super::raw_defaults::{default_material, no_rotation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[bowl]]`: the bowl of a parts feeder about z of its frame. Surface `name` is the track that climbs along
/// its wall, surface `name.floor` the floor with the wall under the first turn; both vibrate together.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BowlEntry {
    /// Name of the track and its wall, as of a body; the floor is `name.floor`.
    pub name: String,
    /// Inner radius of the wall, where the track has its outer side (m), > 0.
    pub radius: f64,
    /// Width of the track (m), > 0.
    pub width: f64,
    /// Height that the track gains in a turn (m), > 0. The wall reaches up to a slit below the next turn.
    pub pitch: f64,
    /// Turns, 1 to 100, rounded to whole facets.
    pub turns: f64,
    /// How far the outer side of the track leans down (rad), 0 to 1.2.
    #[serde(default)]
    pub tilt: f64,
    /// Height of the middle of the floor over its rim (m), ≥ 0. Default: radius · tan(tilt), so that the
    /// track begins without a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rise: Option<f64>,
    /// Length of a level, straight piece along which the track leaves the bowl (m), ≥ 0. Default: none.
    #[serde(default)]
    pub exit: f64,
    /// Facets in a turn, 8 to 720.
    pub facets: u32,
    /// Thickness behind the surfaces (m), > 0, less than half of the pitch; as high is the slit between the
    /// wall and the next turn.
    pub thickness: f64,
    /// Whether the track climbs clockwise, seen from above; else counter-clockwise.
    #[serde(default)]
    pub clockwise: bool,
    /// How it vibrates. Default: it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<BowlDriveEntry>,
    /// Middle of the rim of the floor at time 0 (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion. The track begins on x of its frame.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
}

/// Vibration of a bowl: it rises along its axis and turns about it at once, A sin(2π f t) along a line that
/// leans from the level by an angle.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BowlDriveEntry {
    /// f (Hz), > 0.
    pub frequency: f64,
    /// A, half of the stroke at the middle of the track (m), > 0.
    pub amplitude: f64,
    /// Angle from the level direction in which the track climbs (rad), 0 to π: below π/2 parts are driven up
    /// the track, above it down.
    pub angle: f64,
}
