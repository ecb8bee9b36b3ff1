//! Joints built in Rust.

use crate::scene::body::BodyId;
use crate::scene::file::{JointEntry, JointType, MotionEntry, MotorEntry, name_of};
use crate::scene::joint::{Axis, Drive, Joint, Motor};
use crate::scene::motion::Motion;
use crate::scene::time_function::TimeFunction;

/// A joint in the making: [`Joint::revolute`] and its sisters begin one, and
/// [`SceneBuilder::joint`](super::SceneBuilder::joint) takes it.
///
/// Two bodies that a joint connects have no contact with each other, unless [`collide`](Self::collide) says
/// so.
#[derive(Debug, Clone)]
#[must_use]
pub struct JointBuilder {
    pub(super) bodies: [BodyId; 2],
    pub(super) entry: JointEntry,
    pub(super) motors: Vec<MotorEntry>,
    pub(super) motions: Vec<MotionEntry>,
}

/// Constructors. Anchors (m) and axes are in world axes at time 0; of an axis only the direction counts.
impl Joint {
    /// Holds B to A as they are at time 0: no motion of one relative to the other.
    pub fn fixed(a: BodyId, b: BodyId) -> JointBuilder {
        JointBuilder::of(JointType::Fixed, a, b)
    }

    /// Holds a point of A and a point of B together: all rotations are free.
    pub fn ball(a: BodyId, b: BodyId, anchor: impl Into<[f64; 3]>) -> JointBuilder {
        JointBuilder::of(JointType::Ball, a, b).anchor(anchor)
    }

    /// A hinge: rotation about an axis through an anchor is free.
    pub fn revolute(
        a: BodyId,
        b: BodyId,
        anchor: impl Into<[f64; 3]>,
        axis: impl Into<[f64; 3]>,
    ) -> JointBuilder {
        JointBuilder::of(JointType::Revolute, a, b).anchor(anchor).axis(axis)
    }

    /// A slider: translation along an axis is free.
    pub fn prismatic(a: BodyId, b: BodyId, axis: impl Into<[f64; 3]>) -> JointBuilder {
        JointBuilder::of(JointType::Prismatic, a, b).axis(axis)
    }

    /// Translation along and rotation about an axis through an anchor are free.
    pub fn cylindrical(
        a: BodyId,
        b: BodyId,
        anchor: impl Into<[f64; 3]>,
        axis: impl Into<[f64; 3]>,
    ) -> JointBuilder {
        JointBuilder::of(JointType::Cylindrical, a, b).anchor(anchor).axis(axis)
    }

    /// Rotations about an axis that goes with A and a second one that goes with B are free; the two are at a
    /// right angle and go through the anchor.
    pub fn universal(a: BodyId, b: BodyId, anchor: impl Into<[f64; 3]>, axes: [[f64; 3]; 2]) -> JointBuilder {
        let mut joint = JointBuilder::of(JointType::Universal, a, b).anchor(anchor).axis(axes[0]);
        joint.entry.second_axis = Some(axes[1]);
        joint
    }

    /// B stays in a plane of A through an anchor: translations in it and rotation about its normal are free.
    pub fn planar(
        a: BodyId,
        b: BodyId,
        anchor: impl Into<[f64; 3]>,
        normal: impl Into<[f64; 3]>,
    ) -> JointBuilder {
        JointBuilder::of(JointType::Planar, a, b).anchor(anchor).axis(normal)
    }

    /// A massless rod between a point of A and a point of B, each in the frame of its body (m). Its length
    /// stays that of time 0, unless [`JointBuilder::limits`] leaves it free.
    pub fn distance(
        a: BodyId,
        b: BodyId,
        point_a: impl Into<[f64; 3]>,
        point_b: impl Into<[f64; 3]>,
    ) -> JointBuilder {
        let mut joint = JointBuilder::of(JointType::Distance, a, b);
        joint.entry.anchors = Some([point_a.into(), point_b.into()]);
        joint
    }
}

impl JointBuilder {
    fn of(kind: JointType, a: BodyId, b: BodyId) -> Self {
        Self { bodies: [a, b], entry: JointEntry::of(kind), motors: Vec::new(), motions: Vec::new() }
    }

    fn anchor(mut self, anchor: impl Into<[f64; 3]>) -> Self {
        self.entry.anchor = Some(anchor.into());
        self
    }

    fn axis(mut self, axis: impl Into<[f64; 3]>) -> Self {
        self.entry.axis = Some(axis.into());
        self
    }

    /// Unique name. Default: the kind and the number of the joint, such as `joint-2`.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }

    /// The two bodies may touch each other.
    pub fn collide(mut self) -> Self {
        self.entry.collide = true;
        self
    }

    /// Lowest and highest value of a coordinate: a slide or a length (m), or an angle (rad, at most 2π
    /// apart). Slides and angles are 0 at time 0.
    pub fn limits(mut self, axis: Axis, low: f64, high: f64) -> Self {
        let field = match axis {
            Axis::Slide => &mut self.entry.slide_limits,
            Axis::Angle => &mut self.entry.angle_limits,
            Axis::Length => &mut self.entry.length_limits,
        };
        *field = Some([low, high]);
        self
    }

    /// Inertia of parts that move with a revolute or prismatic joint and are no bodies (kg m² or kg, ≥ 0):
    /// for a rotor of inertia I behind a gear n it is I n².
    pub fn armature(mut self, inertia: f64) -> Self {
        self.entry.armature = Some(inertia);
        self
    }

    /// A motor that drives the rate of a coordinate (m/s or rad/s) with at most a force (N) or torque (N m).
    pub fn motor(self, axis: Axis, rate: impl Into<TimeFunction>, largest_force: f64) -> Self {
        let drive = Drive::Velocity { velocity: rate.into(), damping: None };
        self.drive(axis, Motor { name: String::new(), drive, largest_force })
    }

    /// A motor of any kind. Without a name it gets that of the joint, and of the coordinate where the joint
    /// has several.
    pub fn drive(mut self, axis: Axis, motor: Motor) -> Self {
        self.motors.push(MotorEntry {
            name: Some(motor.name).filter(|name| !name.is_empty()),
            coordinate: Some(name_of(axis)),
            largest_force: Some(motor.largest_force).filter(|most| *most != f64::INFINITY),
            ..MotorEntry::of(&motor.drive)
        });
        self
    }

    /// Prescribes how a coordinate moves, whatever force that takes.
    pub fn motion(mut self, axis: Axis, motion: Motion) -> Self {
        let coordinate = Some(name_of(axis));
        self.motions.push(MotionEntry { coordinate, ..MotionEntry::of(&motion) });
        self
    }
}

impl From<f64> for TimeFunction {
    /// A function with one value at all times.
    fn from(value: f64) -> Self {
        TimeFunction::Constant { value }
    }
}
