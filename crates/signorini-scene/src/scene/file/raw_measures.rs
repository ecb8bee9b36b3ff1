//! Measures, as a scene file writes them.

use super::raw_grains::RegionEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[measure]]`: a table of its own, `measure-NAME.csv`, with a row for each interval.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureEntry {
    /// Unique name: letters, digits, `-` and `_`.
    pub name: String,
    /// Interval (s), > 0, rounded to whole steps. Default: one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<f64>,
    /// The quantity that is measured.
    pub quantity: QuantityEntry,
}

/// Quantity that a measure tells.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum QuantityEntry {
    /// Bodies and mass whose centres pass a plane.
    Flow {
        /// Normal, of any length: bodies that pass along it count forwards.
        normal: [f64; 3],
        /// Distance of the plane from the origin along the normal (m).
        offset: f64,
        /// A box in which centres are when they have passed, for them to count. Default: everywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<RegionEntry>,
    },
    /// Solid fraction, coordination number, stress and fabric in a box, or in each cell of a grid.
    Region {
        /// Lowest corner (m).
        min: [f64; 3],
        /// Highest corner (m).
        max: [f64; 3],
        /// Into how many cells the box is cut along x, y and z, each with its own rows; 1 to 100000 in all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cells: Option<[usize; 3]>,
    },
    /// Kinetic and potential energy, and where energy went.
    Energy {},
    /// How large the contact forces are.
    Forces {},
    /// Force and torque of the contacts on a body.
    Body {
        /// Name of a body of this file.
        body: String,
    },
    /// How long the bodies were inside that left.
    Residence {},
    /// On what each body rests.
    Poses {},
}
