//! Measures, as a scene file writes them.

use super::raw_grains::{FillRegionEntry, RegionEntry};
use crate::scene::measure::TableChoice;
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
    /// Solid fraction, velocity, granular temperature and stress in cells: means over the interval.
    Field {
        /// A box or a cylinder.
        region: FillRegionEntry,
        /// Cells along x, y and z of a box; rings, sectors and slices of a cylinder; 1 to 100000 in all.
        cells: [usize; 3],
    },
    /// How well two kinds of bodies are mixed: Lacey's index.
    Mixing {
        /// A box or a cylinder.
        region: FillRegionEntry,
        /// Into how many cells it is cut, as of a field.
        cells: [usize; 3],
        /// Names of the bodies of one kind and of the other; `red-*` stands for all that begin with `red-`.
        kinds: [String; 2],
    },
    /// Angle of the surface of a heap, or of a bed in a drum.
    Angle {
        /// Middle of the base of a heap, or a point of the bed (m).
        center: [f64; 3],
        /// How far from it bodies count (m), > 0.
        radius: f64,
        /// Into how many strips the surface is cut, 2 to 10000. Default: 20.
        #[serde(default = "twenty")]
        strips: usize,
        /// Of a drum: its level axis, of any length; the bed slopes across it. Default: a heap.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<[f64; 3]>,
    },
    /// Force and torque of the contacts on a group of bodies together.
    Group {
        /// Names of the bodies; `wall*` stands for all that begin with `wall`.
        bodies: Vec<String>,
        /// About which point the torque is (m). Default: the origin.
        #[serde(default)]
        about: [f64; 3],
    },
    /// A thin table of bodies, at the end of each interval: columns of `bodies.csv`, by default of all bodies
    /// that can move.
    Bodies(TableEntry),
    /// A thin table of the contacts that carry load, at the end of each interval: columns of `contacts.csv`,
    /// by default of all contacts.
    Contacts(TableEntry),
    /// Wear and impacts on the parts of bodies, as of the triangles of a surface, over the interval.
    Wear {
        /// Names of the bodies; `chute*` stands for all that begin with `chute`.
        bodies: Vec<String>,
    },
}

/// A thin table.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableEntry {
    /// Names of bodies; `grain-*` stands for all that begin with `grain-`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<String>,
    /// Columns, in this order.
    pub columns: Vec<String>,
    /// Significant digits of numbers, 3 to 17. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<u8>,
}

impl TableEntry {
    /// The entry of a choice.
    pub fn of(choice: &TableChoice) -> Self {
        let TableChoice { bodies, columns, digits } = choice.clone();
        Self { bodies, columns, digits }
    }

    /// The choice as it is written.
    pub fn choice(&self) -> TableChoice {
        let Self { bodies, columns, digits } = self.clone();
        TableChoice { bodies, columns, digits }
    }
}

/// Strips of a surface, unless it is told.
pub const STRIPS: usize = 20;

fn twenty() -> usize {
    STRIPS
}
