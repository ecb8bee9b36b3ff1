//! Inlets and outlets, as a scene file writes them.

use super::raw_defaults::{default_material, upwards, yes};
use super::raw_grains::{ScaleEntry, WeightedShape};
use super::raw_shapes::ShapeEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[inlet]]`: bodies that come in during the run, where there is room. At least one of `rate`, `mass_rate`
/// and `total` is given; with `total` alone all bodies are due at once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InletEntry {
    /// Unique name. The bodies are named `name-0`, `name-1`, …; no name is used twice.
    pub name: String,
    /// Where they come in.
    pub region: InletRegionEntry,
    /// When the first one is due (s), ≥ 0.
    #[serde(default)]
    pub from: f64,
    /// Bodies are due before this time (s), > from. Default: to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// Bodies per second, > 0. At most one of `rate` and `mass_rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Mass per second (kg/s), > 0: a body is due when those before it weigh as much as has been due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_rate: Option<f64>,
    /// Most bodies in all, ≥ 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Density (kg/m³), > 0.
    pub density: f64,
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
    /// Whether orientations are random (uniform on the rotations); otherwise shape axes are world axes.
    #[serde(default = "yes")]
    pub random_orientations: bool,
    /// Velocity of each body when it comes (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity of each body when it comes (rad/s), world axes.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Smallest gap of a body that comes to anything else (m), ≥ 0. Default: a thousandth of its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<f64>,
    /// The shape of all bodies. Either this or `shapes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeEntry>,
    /// A mixture of shapes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<WeightedShape>,
    /// Distribution of a factor on the size of each body. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleEntry>,
}

/// Where bodies come in.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum InletRegionEntry {
    /// A box along the world axes that holds the bodies entirely.
    Box {
        /// Lowest corner (m).
        min: [f64; 3],
        /// Highest corner (m).
        max: [f64; 3],
    },
    /// A disc on which the centres of mass are spread evenly; the bodies may reach beyond it.
    Disc {
        /// Centre (m).
        center: [f64; 3],
        /// Normal, of any length.
        normal: [f64; 3],
        /// Radius (m), > 0.
        radius: f64,
    },
    /// A ring between two circles on which the centres of mass are spread evenly.
    Ring {
        /// Centre (m).
        center: [f64; 3],
        /// Normal, of any length.
        normal: [f64; 3],
        /// Radius of the inner circle (m), ≥ 0.
        inner_radius: f64,
        /// Radius of the outer circle (m), > inner_radius.
        outer_radius: f64,
    },
    /// A cylinder, or what is between two, that holds the bodies entirely.
    Cylinder {
        /// Middle (m).
        center: [f64; 3],
        /// Direction of the axis, of any length. Default: z.
        #[serde(default = "upwards")]
        axis: [f64; 3],
        /// Radius (m), > 0.
        radius: f64,
        /// Length (m), > 0.
        length: f64,
        /// Radius of an inner cylinder that stays empty (m), ≥ 0.
        #[serde(default)]
        inner_radius: f64,
    },
}

/// `[[outlet]]`: bodies that can move leave the run when their centre of mass is in a region at the end of a
/// step.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutletEntry {
    /// Unique name.
    pub name: String,
    /// The region.
    pub region: OutletRegionEntry,
}

/// Where bodies leave.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum OutletRegionEntry {
    /// All below a plane: normal·x ≤ offset.
    HalfSpace {
        /// Normal, of any length, pointing out of the region.
        normal: [f64; 3],
        /// Distance of the plane from the origin along the normal (m).
        offset: f64,
    },
    /// A box along the world axes.
    Box {
        /// Lowest corner (m).
        min: [f64; 3],
        /// Highest corner (m).
        max: [f64; 3],
    },
    /// All below a height: z ≤ height.
    Below {
        /// The height (m).
        height: f64,
    },
}
