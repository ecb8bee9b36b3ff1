//! Joints, motors and prescribed motions as written in a scene file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Motions that a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointType {
    /// Nothing.
    Fixed,
    /// All rotations about the anchor.
    Ball,
    /// Rotation about the axis.
    Revolute,
    /// Translation along the axis.
    Prismatic,
    /// Translation along and rotation about the axis.
    Cylindrical,
    /// Rotations about `axis`, which goes with A, and `second_axis`, which goes with B.
    Universal,
    /// Translations across the axis, and rotation about it.
    Planar,
    /// All but the distance of two anchors.
    Distance,
}

/// A coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoordinateName {
    /// Displacement along the axis (m).
    Slide,
    /// Angle about the axis (rad).
    Angle,
    /// Distance of the anchors (m).
    Length,
}

/// `[[joint]]`: holds two bodies together.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// Unique name.
    pub name: String,
    /// The motions that the joint leaves free.
    #[serde(rename = "type")]
    pub kind: JointType,
    /// Names of body A and body B, at least one of which moves freely.
    pub between: [String; 2],
    /// Where it is at time 0, world axes (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<[f64; 3]>,
    /// Its axis at time 0, world axes; only the direction counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Of a universal joint: the axis that goes with B, at time 0, world axes, at a right angle to `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<[f64; 3]>,
    /// Instead of `anchor`: the anchors of A and B, each in the frame in which its body is given (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<[[f64; 3]; 2]>,
    /// Instead of `axis`: the axis in the frames of A and B.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[[f64; 3]; 2]>,
    /// Instead of `axes`: the orientations of the joint's frame in the frames of A and B, unit quaternions.
    /// Its z is the axis, and the angle is 0 where both frames coincide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientations: Option<[[f64; 4]; 2]>,
    /// Length of a distance joint (m), > 0. Default: that at time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Lowest and highest displacement (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slide_limits: Option<[f64; 2]>,
    /// Lowest and highest angle (rad), at most 2π apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle_limits: Option<[f64; 2]>,
    /// Shortest and longest distance (m) of a distance joint, instead of a fixed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_limits: Option<[f64; 2]>,
    /// Of a revolute or prismatic joint: inertia of parts that move with it and are no bodies, such as a
    /// motor's rotor behind its gear (kg m² or kg), ≥ 0. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub armature: Option<f64>,
    /// Whether the two bodies may touch each other. Otherwise there is no contact between them.
    #[serde(default)]
    pub collide: bool,
}

impl JointEntry {
    /// A joint of a kind, with all else left out.
    pub fn of(kind: JointType) -> Self {
        Self {
            name: String::new(),
            kind,
            between: [String::new(), String::new()],
            anchor: None,
            axis: None,
            second_axis: None,
            anchors: None,
            axes: None,
            orientations: None,
            length: None,
            slide_limits: None,
            angle_limits: None,
            length_limits: None,
            armature: None,
            collide: false,
        }
    }
}

/// A number over time.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum CourseEntry {
    /// Always the same.
    Constant {
        /// The value.
        value: f64,
    },
    /// offset + amplitude sin(2π frequency t + phase).
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Frequency (Hz), ≥ 0.
        frequency: f64,
        /// Phase (rad).
        #[serde(default)]
        phase: f64,
        /// Mean value.
        #[serde(default)]
        offset: f64,
    },
    /// Samples, with the first and the last value before and after. Of an acceleration, zero before and
    /// after.
    Table {
        /// Times (s), rising, at least one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        times: Vec<f64>,
        /// As many values.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<f64>,
        /// Instead of both: a table (CSV) in the folder of the scene, with a column `time`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Column of the values in that table. Default: the only one beside `time`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<String>,
        /// Factor on the values, such as 9.81 where they are multiples of g. Default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<f64>,
        /// Course between the samples. Default: straight lines.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interpolation: Option<Interpolation>,
    },
}

/// Course between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Straight lines: second order in the gaps.
    Linear,
    /// Cubics through the four nearest samples: fourth order in the gaps.
    Cubic,
}

/// Poses over time: straight lines and turns at constant rate between them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PosesEntry {
    /// A table (CSV) in the folder of the scene, with columns `time`, `x`, `y`, `z`, and `qw`, `qx`, `qy`,
    /// `qz` where it turns. Either this or the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Times (s), rising, at least one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
    /// As many places (m).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<[f64; 3]>,
    /// As many orientations, unit quaternions. Default: the body does not turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orientations: Vec<[f64; 4]>,
}

/// `[[motor]]`: acts on a joint's coordinate with no more than a certain force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorEntry {
    /// Unique name. Default: that of the joint, and its coordinate where the joint has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name of a joint.
    pub joint: String,
    /// Which coordinate. Optional where the joint has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<CoordinateName>,
    /// Rate to reach (m/s or rad/s). Either this, `position` or `force`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<CourseEntry>,
    /// Position to go to (m or rad), as by a spring and a damper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CourseEntry>,
    /// Force (N) or torque (N m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<CourseEntry>,
    /// Stiffness of a `position` (N/m or N m/rad), ≥ 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Damping of a `position`, ≥ 0, or of a `velocity`, > 0 (N s/m or N m s/rad). Default of a position: 0;
    /// of a velocity: the rate is reached exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// Largest force (N) or torque (N m), > 0. Required where a rate is reached exactly; default of other
    /// motors: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_force: Option<f64>,
    /// Least and largest velocity, position or force to which the motor can be set between steps. Default:
    /// any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// A spring, a damper or friction: not among the motors that are set between steps. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passive: bool,
}

/// `[[motion]]`: prescribes how a body, or a coordinate of a joint, moves.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionEntry {
    /// Name of a body. It is not moved by forces then. Either this or `joint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Name of a joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Which coordinate of the joint. Optional where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<CoordinateName>,
    /// Direction in which the body moves, world axes at time 0; only the direction counts. Either this or
    /// `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Axis about which the body turns, world axes at time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// A point of that axis (m), world axes at time 0. Default: the body's centre of mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<[f64; 3]>,
    /// Name of a fixed body, or one with prescribed motion, that carries this body along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
    /// Position (m or rad) over time; only its distance from that at time 0 counts. Either this, `velocity`
    /// or `acceleration`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<CourseEntry>,
    /// Velocity (m/s or rad/s) over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<CourseEntry>,
    /// Acceleration (m/s² or rad/s²) over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<CourseEntry>,
    /// With `acceleration`: velocity at time 0 (m/s or rad/s). Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_velocity: Option<f64>,
    /// With a table of `acceleration`: takes a straight line off the values, so that velocity and
    /// displacement are zero at the end of the table. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_at_rest: bool,
    /// Poses that the body goes through, instead of all others but `body` and `relative_to`; only what
    /// happens since time 0 counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poses: Option<PosesEntry>,
}

/// `[[coupling]]`: a coordinate q of a joint follows another one, q = offset + ratio q′ + higher terms.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CouplingEntry {
    /// Unique name.
    pub name: String,
    /// Name of the joint that follows: a revolute, prismatic or cylindrical one.
    pub joint: String,
    /// Which coordinate. Optional where the joint has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinate: Option<CoordinateName>,
    /// Name of the joint that it follows. It may be the same, of a cylindrical one.
    pub follows: String,
    /// Which coordinate of that joint. Optional where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed_coordinate: Option<CoordinateName>,
    /// Change of the one per change of the other (1, m/rad or rad/m).
    pub ratio: f64,
    /// Value at which it is where the other is 0 (m or rad). Default: that by which the coupling holds at
    /// time 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Coefficients of the square, the cube and the fourth power of the other. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub higher: Vec<f64>,
}
