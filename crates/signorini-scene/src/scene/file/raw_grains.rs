//! Many bodies of a mixture of shapes and sizes, as a scene file writes them.

use super::raw_defaults::{default_material, no_rotation, one, yes};
use super::raw_shapes::ShapeEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[[fill]]`: many bodies at random places, apart from each other and from everything else.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillEntry {
    /// The bodies are named `name-0`, `name-1`, …
    pub name: String,
    /// Number of bodies, 1 to 1000000.
    pub count: u64,
    /// Density (kg/m³), > 0.
    pub density: f64,
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
    /// Whether orientations are random (uniform on the rotations); otherwise shape axes are world axes.
    #[serde(default = "yes")]
    pub random_orientations: bool,
    /// Velocity of every body at time 0 (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity of every body at time 0 (rad/s), world axes.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Smallest gap between the bodies and to anything else (m), ≥ 0. Default: a thousandth of the
    /// smallest body's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clearance: Option<f64>,
    /// The region that holds the bodies entirely.
    pub region: FillRegionEntry,
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

/// One form of a mixture.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedShape {
    /// The shape. Either this or `parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeEntry>,
    /// The parts of bodies of several. Their common centre of mass becomes the origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FormPart>,
    /// Of parts about their common centre of mass: volume (m³), > 0, with `inertia`. The parts may overlap
    /// then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<f64>,
    /// With `volume`: inertia [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] at a density of 1 kg/m³ (m⁵).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 6]>,
    /// Its part by number, relative to the other weights, > 0.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A part of a form.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FormPart {
    /// Origin of the shape frame in the frame of the form (m).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation of the shape frame in the frame of the form, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Shape.
    pub shape: ShapeEntry,
}

/// A box along the world axes, or a cylinder, or what is between two.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FillRegionEntry {
    /// Lowest corner of a box (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<[f64; 3]>,
    /// Highest corner of a box (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 3]>,
    /// Instead of both: middle of a cylinder (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Direction of the cylinder's axis, of any length. Default: z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Radius of the cylinder (m), > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Length of the cylinder (m), > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Radius of an inner cylinder that stays empty (m), ≥ 0. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner_radius: Option<f64>,
}

/// A box with faces along the world axes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegionEntry {
    /// Lowest corner (m).
    pub min: [f64; 3],
    /// Highest corner (m).
    pub max: [f64; 3],
}

/// Distribution of a size factor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ScaleEntry {
    /// Every value between the bounds is equally likely.
    Uniform {
        /// Smallest factor, > 0.
        min: f64,
        /// Largest factor, ≥ min.
        max: f64,
    },
    /// exp(σ z) with z standard normal, drawn again until it is within the bounds.
    Lognormal {
        /// Standard deviation σ of the logarithm, > 0 and at most 2.
        sigma: f64,
        /// Smallest factor, > 0 and < 1.
        min: f64,
        /// Largest factor, > 1.
        max: f64,
    },
    /// A sieve curve, by mass: every body gets the size at which the middle edge of the box about its shape,
    /// along the axes of the shape, is as drawn.
    Sieve {
        /// Openings (m), > 0, rising, two or more.
        openings: Vec<f64>,
        /// Fraction of the mass that passes each opening, rising from 0 to 1.
        passing: Vec<f64>,
    },
}
