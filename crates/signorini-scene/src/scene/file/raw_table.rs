//! Bodies from a table, as a scene file writes them.

use super::raw_defaults::default_material;
use super::raw_grains::FormPart;
use super::raw_shapes::ShapeEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[bodies]]`: many bodies that move, one for each row of a table.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyTableEntry {
    /// The bodies are named `name-0`, `name-1`, …, unless the table names them in a column `body`.
    pub name: String,
    /// The table (CSV), in the folder of this file: columns x, y, z, and, if they are there, qw, qx, qy, qz;
    /// vx, vy, vz; wx, wy, wz; shape, scale, material, body. Others than step and time are faults.
    pub file: String,
    /// Density (kg/m³), > 0.
    pub density: f64,
    /// Material of the rows that name none.
    #[serde(default = "default_material")]
    pub material: String,
    /// The shapes that the rows name.
    pub shapes: Vec<NamedShape>,
}

/// A form that rows of a table name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedShape {
    /// Its name in the column `shape`.
    pub name: String,
    /// The shape. Either this or `parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeEntry>,
    /// The parts of a body of several. Their common centre of mass becomes the origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FormPart>,
}
