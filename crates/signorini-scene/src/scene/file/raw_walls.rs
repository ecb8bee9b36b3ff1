//! Drums, hoppers, heightfields, helices and arches as written in a scene file.
//!
//! The doc comments are the descriptions of the published JSON schema.

use super::raw_defaults::{default_material, half_turn, no_rotation, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[drum]]`: a hollow prism about z of its frame, one fixed or driven body of a part for each facet.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrumEntry {
    /// Unique name, as of a body.
    pub name: String,
    /// Distance of the inner corners from the axis (m), > 0.
    pub radius: f64,
    /// Inner length along the axis (m), > 0.
    pub length: f64,
    /// Thickness of the walls (m), > 0.
    pub thickness: f64,
    /// Facets around the axis, 3 to 360.
    pub facets: u32,
    /// Whether both ends are closed.
    #[serde(default = "yes")]
    pub ends: bool,
    /// Middle of the drum at time 0 (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
}

/// `[[hopper]]`: four walls between a rectangle above and a smaller one below, one fixed or driven body.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HopperEntry {
    /// Unique name, as of a body.
    pub name: String,
    /// Inner lengths along x and y at the top (m), > 0.
    pub top: [f64; 2],
    /// Inner lengths along x and y at the bottom (m), > 0: the opening.
    pub bottom: [f64; 2],
    /// Height (m), > 0.
    pub height: f64,
    /// Thickness of the walls, level (m), > 0.
    pub thickness: f64,
    /// Whether the opening is closed by a plate.
    #[serde(default)]
    pub closed: bool,
    /// Middle of the opening at time 0 (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
}

/// `[[heightfield]]`: a solid under heights on a grid, one fixed or driven body of two parts a cell.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightfieldEntry {
    /// Unique name, as of a body.
    pub name: String,
    /// Lengths along x and y (m), > 0.
    pub size: [f64; 2],
    /// Heights (m): rows along y, each with heights along x; 2 or more of both, 20000 at most together.
    pub heights: Vec<Vec<f64>>,
    /// How far the solid reaches below the lowest height (m), > 0.
    pub thickness: f64,
    /// Where the middle of the grid is at height 0 (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
}

/// `[[helix]]`: a helical track about z of its frame, as that of a vibrating bowl; a fixed or driven surface.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HelixEntry {
    /// Unique name, as of a body.
    pub name: String,
    /// Distance of the middle of the track from the axis at its start and at its end (m), > 0.
    pub radii: [f64; 2],
    /// Height that the track gains in a turn (m); falls where < 0.
    pub pitch: f64,
    /// Turns, > 0 to 100.
    pub turns: f64,
    /// Width of the track (m), > 0.
    pub width: f64,
    /// How far the outer side leans down (rad), −1.2 to 1.2; the inner side where < 0.
    #[serde(default)]
    pub tilt: f64,
    /// Height of a wall on the outer side (m), ≥ 0. Default: none.
    #[serde(default)]
    pub wall: f64,
    /// Facets in a turn, 3 to 720, each of two triangles.
    pub facets: u32,
    /// Thickness behind the triangles (m), > 0.
    pub thickness: f64,
    /// Whether the track runs clockwise from its start, seen from above; else counter-clockwise.
    #[serde(default)]
    pub clockwise: bool,
    /// Where the axis is at the height of the start of the track at time 0 (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion. The track begins on x of its frame.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
}

/// `[[arch]]`: stones `name-0`, `name-1`, … between flat joints at equal angles about y of its frame, and the
/// fixed blocks `name.left` and `name.right` on which its ends stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchEntry {
    /// First part of the names of the stones, before their numbers.
    pub name: String,
    /// Radius of the middle line of the joints (m), > 0.
    pub radius: f64,
    /// Thickness along the radius (m), > 0, less than twice the radius.
    pub thickness: f64,
    /// Length along y of the frame (m), > 0.
    pub depth: f64,
    /// Stones, 2 to 1000.
    pub stones: u32,
    /// Angle of embrace (rad), > 0 and less than 2π, of a stone π/2 at most. Default: π.
    #[serde(default = "half_turn")]
    pub angle: f64,
    /// Density of the stones (kg/m³), > 0.
    pub density: f64,
    /// Whether fixed blocks stand under both ends. They reach half a thickness beyond the joint on all sides.
    #[serde(default = "yes")]
    pub springers: bool,
    /// Centre of the circle at time 0 (m). The crown is above it, along z of the frame.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Material of stones and blocks.
    #[serde(default = "default_material")]
    pub material: String,
}
