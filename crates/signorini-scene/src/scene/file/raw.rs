//! The scene file as written: every table and field, with its default, before anything is checked.
//!
//! The doc comments are the descriptions of the published JSON schema.

use super::limits::FORMAT;
use super::raw_bowl::BowlEntry;
use super::raw_defaults::{default_material, no_rotation};
use super::raw_flow::{InletEntry, OutletEntry};
use super::raw_friction::FrictionEntry;
use super::raw_grains::FillEntry;
use super::raw_joints::{CouplingEntry, JointEntry, MotionEntry, MotorEntry};
use super::raw_measures::MeasureEntry;
use super::raw_press::{PressEntry, ServoEntry};
use super::raw_sensors::SensorEntry;
use super::raw_shapes::ShapeEntry;
use super::raw_table::BodyTableEntry;
use super::raw_walls::{ArchEntry, DrumEntry, HeightfieldEntry, HelixEntry, HopperEntry};
use crate::settings::SolverSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signorini_geometry::ContactKind;

/// A scene of rigid bodies in frictional contact. SI units; quaternions (w, x, y, z); world axes unless said.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Version of this format: 1.
    pub format: u32,
    /// Time, gravity and seed.
    pub simulation: SimulationEntry,
    /// How steps are solved.
    #[serde(default)]
    pub solver: SolverSettings,
    /// Where the bodies begin, instead of where this file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartEntry>,
    /// A box that repeats itself along one to three axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periodic: Option<PeriodicEntry>,
    /// Names of the materials. Optional: when present, only these names (and "default") are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<MaterialEntry>,
    /// Friction between pairs of materials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction: Vec<FrictionEntry>,
    /// Bodies, one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyEntry>,
    /// Bodies from tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<BodyTableEntry>,
    /// Hollow prisms about an axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drum: Vec<DrumEntry>,
    /// Four walls around a rectangle that narrows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hopper: Vec<HopperEntry>,
    /// Solids under heights on a grid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heightfield: Vec<HeightfieldEntry>,
    /// Helical tracks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helix: Vec<HelixEntry>,
    /// Bowls of parts feeders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bowl: Vec<BowlEntry>,
    /// Arches of stones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arch: Vec<ArchEntry>,
    /// Plates that press.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub press: Vec<PressEntry>,
    /// Boxes of half-spaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub container: Vec<ContainerEntry>,
    /// Many bodies at random places in a region.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fill: Vec<FillEntry>,
    /// Where bodies come in during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlet: Vec<InletEntry>,
    /// Where bodies leave during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlet: Vec<OutletEntry>,
    /// Measures taken during the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measure: Vec<MeasureEntry>,
    /// Sensors of forces and torques.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensor: Vec<SensorEntry>,
    /// Impulses applied once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impulse: Vec<ImpulseEntry>,
    /// Forces applied during a window of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<ForceEntry>,
    /// Springs with dampers between bodies; only `formulation = "compliant"` has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spring: Vec<SpringEntry>,
    /// Pairs of bodies that have no contact with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<ExcludeEntry>,
    /// Joints between bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joint: Vec<JointEntry>,
    /// Coordinates of joints that follow others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coupling: Vec<CouplingEntry>,
    /// Motors of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motor: Vec<MotorEntry>,
    /// Motors whose force follows a stress and an area.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servo: Vec<ServoEntry>,
    /// Prescribed motion of bodies and joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motion: Vec<MotionEntry>,
}

impl SceneFile {
    /// A scene without bodies, of a time step and a duration (s), with every default.
    pub fn empty(time_step: f64, duration: f64) -> Self {
        Self {
            format: FORMAT,
            simulation: SimulationEntry { time_step, duration, gravity: standard_gravity(), seed: 0 },
            solver: SolverSettings::default(),
            start: None,
            periodic: None,
            material: Vec::new(),
            friction: Vec::new(),
            body: Vec::new(),
            bodies: Vec::new(),
            drum: Vec::new(),
            hopper: Vec::new(),
            heightfield: Vec::new(),
            press: Vec::new(),
            helix: Vec::new(),
            bowl: Vec::new(),
            arch: Vec::new(),
            container: Vec::new(),
            fill: Vec::new(),
            inlet: Vec::new(),
            outlet: Vec::new(),
            measure: Vec::new(),
            sensor: Vec::new(),
            impulse: Vec::new(),
            force: Vec::new(),
            spring: Vec::new(),
            exclude: Vec::new(),
            joint: Vec::new(),
            coupling: Vec::new(),
            motor: Vec::new(),
            servo: Vec::new(),
            motion: Vec::new(),
        }
    }
}

/// `[[exclude]]`: two bodies that have no contact with each other, however deeply they overlap.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExcludeEntry {
    /// Names of the two bodies, of a container's walls too.
    pub between: [String; 2],
}

/// `[simulation]`: time, gravity and seed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulationEntry {
    /// Time step h (s), > 0.
    pub time_step: f64,
    /// Simulated time (s), at least one step; the run makes round(duration / time_step) steps.
    pub duration: f64,
    /// Acceleration of gravity (m/s²).
    #[serde(default = "standard_gravity")]
    pub gravity: [f64; 3],
    /// Seed of every generator of the scene and of the solver's restarts.
    #[serde(default)]
    pub seed: u64,
}

/// `[start]`: a checkpoint in which the bodies begin.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartEntry {
    /// Checkpoint of a run, in the folder of this file. The bodies of this scene that move, and that the run
    /// had under the same name, begin with its poses and velocities; all else is this file's.
    pub from: String,
}

/// `[periodic]`: a box that repeats itself along the axes that are given, and fills all space.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeriodicEntry {
    /// Least and largest x (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Least and largest y (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Least and largest z (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

/// `[[material]]`: a name that bodies and friction entries may use.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialEntry {
    /// Unique name.
    pub name: String,
    /// Normal stiffness k of a contact (N/m), > 0, for `formulation = "compliant"`. Two materials in contact
    /// act in series. Default: rigid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Dissipation time τ_d (s), ≥ 0, for `formulation = "compliant"`: the normal force is k (−gap − τ_d
    /// v_n), if positive. Those of two materials in contact are added.
    #[serde(default)]
    pub dissipation_time: f64,
}

/// `[[spring]]`: a spring with a damper along the line between a point of each of two bodies.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringEntry {
    /// Names of the two bodies, at least one of which moves.
    pub between: [String; 2],
    /// The points, each in the frame in which its body is given (m).
    #[serde(default)]
    pub points: [[f64; 3]; 2],
    /// Stiffness (N/m), ≥ 0.
    pub stiffness: f64,
    /// Damping (N s/m), ≥ 0.
    #[serde(default)]
    pub damping: f64,
    /// Length without force (m), ≥ 0. Default: the length at time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_length: Option<f64>,
}

/// A convex part of a body.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartEntry {
    /// Mass (kg), > 0. At most one of `mass` and `density`; without both the body's `density` or `mass`
    /// counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density (kg/m³), > 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Material. Default: that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Origin of the shape frame in the frame of the body (m). Points of a polytope or a mesh are about it.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation of the shape frame in the frame of the body, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// With what velocity the surface runs over the body (m/s), axes of the frame of the body. Default: that
    /// of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_velocity: Option<[f64; 3]>,
    /// With what angular velocity it runs about the origin of that frame (rad/s). Default: that of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_angular_velocity: Option<[f64; 3]>,
    /// Shape. Half-spaces are for bodies that are fixed or driven.
    pub shape: ShapeEntry,
}

impl PartEntry {
    /// The convex hull of points (m).
    pub fn hull(vertices: Vec<[f64; 3]>) -> Self {
        Self {
            mass: None,
            density: None,
            material: None,
            position: [0.0; 3],
            orientation: no_rotation(),
            surface_velocity: None,
            surface_angular_velocity: None,
            shape: ShapeEntry::Polytope { vertices },
        }
    }
}

/// `[[body]]`: one rigid body. Its origin is the centre of mass.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Unique name.
    pub name: String,
    /// A fixed body never moves. Default: true for a half-space, false otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<bool>,
    /// Mass (kg), > 0. A moving body has exactly one of `mass` and `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density (kg/m³), > 0: mass and inertia are those of the homogeneous shape, or of its parts that have
    /// none of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Inertia tensor about the centre of mass, body frame (kg m²): entries xx, yy, zz, xy, xz, yz of the
    /// matrix. Default: the homogeneous shape's, or the sum over the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 6]>,
    /// Material.
    #[serde(default = "default_material")]
    pub material: String,
    /// Centre of mass at time 0 (m), also of a polytope or mesh whose points are given about another origin.
    /// Of a body with `parts`: the origin of the frame in which they are given.
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation at time 0, unit quaternion.
    #[serde(default = "no_rotation")]
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass at time 0 (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at time 0 (rad/s), world axes.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Constant force at the centre of mass (N), besides gravity.
    #[serde(default)]
    pub force: [f64; 3],
    /// Constant torque (N m), world axes.
    #[serde(default)]
    pub torque: [f64; 3],
    /// With what velocity the surface runs over the body, as that of a belt (m/s): friction sees it, nothing
    /// moves. Axes of the frame in which the body is given, with which they turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_velocity: Option<[f64; 3]>,
    /// With what angular velocity it runs about the origin of that frame, as that of a turntable (rad/s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_angular_velocity: Option<[f64; 3]>,
    /// Origin of the shape frame in the body frame (m).
    #[serde(default)]
    pub shape_position: [f64; 3],
    /// Orientation of the shape frame in the body frame, unit quaternion.
    #[serde(default = "no_rotation")]
    pub shape_orientation: [f64; 4],
    /// Shape. Either this or `parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeEntry>,
    /// The body is the union of these convex parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartEntry>,
}

/// `[[container]]`: a box of five half-spaces, or six with a lid, named `name.x_min` to `name.z_max`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContainerEntry {
    /// Name, before the dot in the names of the walls.
    pub name: String,
    /// Whether the box is closed at z_max.
    #[serde(default)]
    pub lid: bool,
    /// Inner lengths along x, y, z (m), > 0. Either this or `min` and `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 3]>,
    /// With `size`: centre of the floor (m). Default: the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Lowest inner corner (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<[f64; 3]>,
    /// Highest inner corner (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<[f64; 3]>,
    /// Material of the walls.
    #[serde(default = "default_material")]
    pub material: String,
}

/// `[[impulse]]`: an impulse applied once, in the step k with k h ≤ time < (k + 1) h; or in each step after
/// its condition was met.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImpulseEntry {
    /// Name of a moving body.
    pub body: String,
    /// Time (s), ≥ 0. With a condition: not before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The condition; without one `time` is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<ConditionEntry>,
    /// Linear impulse at the centre of mass (N s).
    #[serde(default)]
    pub linear: [f64; 3],
    /// Angular impulse (N m s), world axes.
    #[serde(default)]
    pub angular: [f64; 3],
}

/// Condition that an impulse waits for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ConditionEntry {
    /// A component of the body's angular velocity reaches a value, from either side; each time.
    AngularVelocity {
        /// Direction, world axes.
        axis: [f64; 3],
        /// The value (rad/s).
        #[serde(default)]
        reaches: f64,
    },
    /// The body carries load on another along a line, over a surface, or at least at a point; the first time.
    Contact {
        /// The least kind.
        kind: ContactKind,
    },
}

/// `[[force]]`: a force and torque in every step that starts in [from, to).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceEntry {
    /// Name of a moving body.
    pub body: String,
    /// Start (s), ≥ 0.
    pub from: f64,
    /// End (s), > from.
    pub to: f64,
    /// Force at the centre of mass (N).
    #[serde(default)]
    pub force: [f64; 3],
    /// Torque (N m), world axes.
    #[serde(default)]
    pub torque: [f64; 3],
}

fn standard_gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}
