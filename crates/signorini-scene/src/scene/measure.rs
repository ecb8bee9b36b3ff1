//! Measures taken during a run.

use super::cells::Cells;
pub use super::region::Region;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Quantity that a measure tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Quantity {
    /// Bodies and mass that pass a plane.
    Flow {
        /// Unit normal: bodies that pass along it count forwards.
        normal: Vector3<f64>,
        /// Offset of the plane along the normal (m).
        offset: f64,
        /// Where centres of mass count when they have passed, if not everywhere.
        within: Option<Region>,
    },
    /// Solid fraction, coordination number, stress and fabric in a box, or in each cell of a grid.
    Region {
        /// The box.
        region: Region,
        /// Number of cells along each axis, if the box is cut.
        cells: Option<[usize; 3]>,
    },
    /// Energies and where they went.
    Energy,
    /// How large the contact forces are.
    Forces,
    /// Force and torque of the contacts on a body of the scene, by its name.
    Body(String),
    /// How long the bodies were inside that left.
    Residence,
    /// On what each body rests.
    Poses,
    /// Solid fraction, velocity, granular temperature and stress in cells.
    Field(Cells),
    /// How well two kinds of bodies are mixed.
    Mixing {
        /// Cells whose compositions are compared.
        cells: Cells,
        /// Names of the bodies of both kinds, or their beginnings.
        kinds: [String; 2],
    },
    /// Angle of the surface of a heap, or of a bed in a drum.
    Angle(Profile),
    /// Force and torque of the contacts on a group of bodies.
    Group {
        /// Names of the bodies, or their beginnings.
        bodies: Vec<String>,
        /// About which point the torque is (m).
        about: Vector3<f64>,
    },
    /// Chosen columns of chosen bodies.
    Bodies(TableChoice),
    /// Chosen columns of the contacts of chosen bodies.
    Contacts(TableChoice),
    /// Wear and impacts on the parts of bodies, as of the triangles of a surface.
    Wear {
        /// Names of the bodies, or their beginnings.
        bodies: Vec<String>,
    },
}

/// Along what the height of a surface is fitted by a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Middle of the base of a heap, or a point of the bed (m).
    pub center: Vector3<f64>,
    /// How far from it bodies count (m).
    pub radius: f64,
    /// Into how many strips the surface is cut.
    pub strips: usize,
    /// Unit vector along a level axis across which the bed slopes; a heap slopes outwards all around.
    pub axis: Option<Vector3<f64>>,
}

/// Bodies, columns and digits of a thin table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableChoice {
    /// Names of the bodies, or their beginnings.
    pub bodies: Vec<String>,
    /// The columns, in their order.
    pub columns: Vec<String>,
    /// Significant digits of numbers; all, if not given.
    pub digits: Option<u8>,
}

/// Columns that a table of bodies may have besides the name, as in `bodies.csv`.
pub const BODY_COLUMNS: [&str; 13] =
    ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"];

/// Columns that a table of contacts may have besides both names, as in `contacts.csv`.
pub const CONTACT_COLUMNS: [&str; 12] = [
    "ecp_x",
    "ecp_y",
    "ecp_z",
    "nx",
    "ny",
    "nz",
    "gap",
    "normal_impulse",
    "friction_impulse_x",
    "friction_impulse_y",
    "friction_impulse_z",
    "torsional_impulse",
];

/// Whether a body's name is a name, or begins like one that ends with `*`.
pub fn is_named(name: &str, pattern: &str) -> bool {
    pattern.strip_suffix('*').map_or(name == pattern, |beginning| name.starts_with(beginning))
}

/// A measure: a table with a row for each interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Unique name.
    pub name: String,
    /// Interval (s), rounded to whole steps; each step, if it is not given.
    pub every: Option<f64>,
    /// The quantity that the measure tells.
    pub quantity: Quantity,
}

impl Measure {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Steps of length h (s) of an interval, at least one.
    pub fn steps(&self, h: f64) -> usize {
        self.every.map_or(1, |every| (every / h).round().max(1.0) as usize)
    }
}
