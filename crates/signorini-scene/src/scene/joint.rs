//! Joints between two bodies, with limits, motors and prescribed motion of their coordinates.

use super::mortar::MortarFace;
use super::motion::Motion;
use super::time_function::TimeFunction;
use nalgebra::Vector3;
use signorini_geometry::Pose;
use signorini_geometry::linkage::{LinkRow, Placement};
use std::f64::consts::{PI, TAU};

/// Kind of a joint: the motions that it leaves free. The axis is z of the joint's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum JointKind {
    /// No motion is free.
    Fixed,
    /// All rotations are free.
    Ball,
    /// Rotation about the axis is free.
    Revolute,
    /// Translation along the axis is free.
    Prismatic,
    /// Rotation about the axis and translation along the axis are free.
    Cylindrical,
    /// Rotations about an axis of A, z of its frame, and an axis of B across it, x of its frame, are free.
    Universal,
    /// Translations across the axis, and rotation about the axis, are free.
    Planar,
    /// All motions that keep the distance of the anchors are free.
    Distance,
    /// Faces stick together until their mortar breaks (theory §15.4). Not in scene files: friction of
    /// materials has mortar.
    Mortar,
}

impl JointKind {
    /// The word used in scene files.
    pub fn as_str(self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Ball => "ball",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Universal => "universal",
            JointKind::Planar => "planar",
            JointKind::Distance => "distance",
            JointKind::Mortar => "mortar",
        }
    }

    /// The coordinates that may be limited or driven.
    pub fn axes(self) -> &'static [Axis] {
        match self {
            JointKind::Fixed
            | JointKind::Ball
            | JointKind::Universal
            | JointKind::Planar
            | JointKind::Mortar => &[],
            JointKind::Revolute => &[Axis::Angle],
            JointKind::Prismatic => &[Axis::Slide],
            JointKind::Cylindrical => &[Axis::Slide, Axis::Angle],
            JointKind::Distance => &[Axis::Length],
        }
    }
}

/// A coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Axis {
    /// Displacement of B's anchor along the axis (m).
    Slide,
    /// Angle of B about the axis (rad).
    Angle,
    /// Distance of the anchors (m).
    Length,
}

impl Axis {
    /// The word used in scene files.
    pub fn as_str(self) -> &'static str {
        match self {
            Axis::Slide => "slide",
            Axis::Angle => "angle",
            Axis::Length => "length",
        }
    }
}

/// A motor: it acts on a coordinate with no more than a certain force.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Motor {
    /// Unique name.
    pub name: String,
    /// The law by which the motor acts.
    pub drive: Drive,
    /// Largest force (N) or torque (N m), > 0; ∞ where nothing bounds it.
    pub largest_force: f64,
}

/// A motor that is set from outside, between steps.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Control {
    /// Its joint, the coordinate of the joint, and its place among the motors of the coordinate.
    pub motor: [usize; 3],
    /// Least and largest value that it can be set to; others count as the nearer one.
    pub range: Option<[f64; 2]>,
}

impl Control {
    /// The value that counts when the motor is set to `value`.
    pub fn within(&self, value: f64) -> f64 {
        self.range.map_or(value, |[low, high]| value.max(low).min(high))
    }
}

/// Law by which a motor acts, with the coordinate q (m or rad) and its rate q̇ at the end of a step; theory
/// (4.2).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Drive {
    /// Reaches a rate (m/s or rad/s) where its bound lets it.
    Velocity {
        /// Rate q̇*.
        velocity: TimeFunction,
        /// c (N s/m or N m s/rad, > 0) of the force c (q̇* − q̇); None: the rate is reached exactly.
        damping: Option<f64>,
    },
    /// Pulls to a position: a spring and a damper, k (q* − q) − c q̇.
    Position {
        /// Position q* (m or rad).
        position: TimeFunction,
        /// k (N/m or N m/rad, ≥ 0).
        stiffness: f64,
        /// c (N s/m or N m s/rad, ≥ 0); not both are 0.
        damping: f64,
    },
    /// Gives a force (N) or a torque (N m).
    Force {
        /// Force.
        force: TimeFunction,
    },
}

impl Drive {
    /// The quantity that is set from outside at every step: the rate, the position or the force.
    pub fn target(&self) -> &TimeFunction {
        match self {
            Drive::Velocity { velocity: target, .. }
            | Drive::Position { position: target, .. }
            | Drive::Force { force: target } => target,
        }
    }

    /// The rate, the position or the force that is set from outside, to change it.
    pub fn target_mut(&mut self) -> &mut TimeFunction {
        match self {
            Drive::Velocity { velocity: target, .. }
            | Drive::Position { position: target, .. }
            | Drive::Force { force: target } => target,
        }
    }

    /// −∂f/∂q̇ of the force f over a step of h seconds, c + h k (N s/m or N m s/rad); None: it is no function
    /// of the motion, or an infinitely steep one.
    pub fn slope(&self, h: f64) -> Option<f64> {
        match self {
            Drive::Velocity { damping, .. } => *damping,
            Drive::Position { stiffness, damping, .. } => Some(damping + h * stiffness),
            Drive::Force { .. } => None,
        }
    }
}

/// Limits, motors and prescribed motion of a coordinate of a joint.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coordinate {
    /// The coordinate that the limits, the motion and the motors belong to.
    pub axis: Axis,
    /// Lowest and highest value (m or rad; angles within ±π of their middle).
    pub limits: Option<[f64; 2]>,
    /// Prescribed motion since time 0.
    pub motion: Option<Motion>,
    /// Motors; their forces add up. At most one reaches its rate exactly.
    pub motors: Vec<Motor>,
    /// Inertia of parts that move with the coordinate and are no bodies, such as the rotor of a motor behind
    /// its gear: I n² for a gear n (kg or kg m², ≥ 0).
    #[serde(default)]
    pub armature: f64,
    /// Value at time 0 (m or rad).
    pub start: f64,
}

impl Coordinate {
    /// The value that the motion prescribes at time t.
    pub fn target(&self, t: f64) -> Option<f64> {
        self.motion.as_ref().map(|m| self.start + m.moved(t))
    }

    /// The rate of that value at time t (m/s or rad/s); 0 without a motion.
    pub fn target_rate(&self, t: f64) -> f64 {
        self.motion.as_ref().map_or(0.0, |motion| motion.rate(t))
    }
}

/// A joint. Body A is `bodies[0]`, body B `bodies[1]`.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// The motions that the joint leaves free.
    pub kind: JointKind,
    /// Body ids, at least one of which is not fixed.
    pub bodies: [usize; 2],
    /// The joint's frame in each body: its origin is the anchor, its z the axis.
    pub frames: [Pose; 2],
    /// Length that a distance joint without limits and motion keeps (m, > 0).
    pub length: f64,
    /// Coordinates with limits, motors or a motion, in the order of [`JointKind::axes`]; free ones are not
    /// listed.
    pub coordinates: Vec<Coordinate>,
    /// The mortar of a joint of kind [`JointKind::Mortar`].
    #[serde(default)]
    pub mortar: Option<MortarFace>,
    /// Whether the two bodies may touch; otherwise they have no contact.
    pub collide: bool,
}

impl Joint {
    /// The equations that hold the bodies together: rows whose value must be that of the second entry, and
    /// which of them are angles (in rad; the others are in m).
    pub fn equations(&self) -> Vec<(LinkRow, f64, bool)> {
        let anchors = self.anchors();
        let [a, b] = [0, 1].map(|k| self.frames[k].rotation());
        let column = |m: &nalgebra::Matrix3<f64>, i: usize| m.column(i).into_owned();
        let along = |i| (LinkRow::Along { direction: column(&a, i), anchors }, 0.0, false);
        let square = |i, j| (LinkRow::Square { a: column(&a, i), b: column(&b, j) }, 0.0, true);
        match self.kind {
            JointKind::Fixed => vec![along(0), along(1), along(2), square(2, 0), square(2, 1), square(0, 1)],
            JointKind::Ball => vec![along(0), along(1), along(2)],
            JointKind::Revolute => vec![along(0), along(1), along(2), square(2, 0), square(2, 1)],
            JointKind::Prismatic => vec![along(0), along(1), square(2, 0), square(2, 1), square(0, 1)],
            JointKind::Cylindrical => vec![along(0), along(1), square(2, 0), square(2, 1)],
            JointKind::Universal => vec![along(0), along(1), along(2), square(2, 0)],
            JointKind::Planar => vec![along(2), square(2, 0), square(2, 1)],
            JointKind::Distance if self.coordinates.is_empty() => {
                vec![(LinkRow::Length { anchors }, self.length, false)]
            }
            JointKind::Distance | JointKind::Mortar => Vec::new(),
        }
    }

    /// The rows of mortar: along the normal, along both tangents, and about the normal.
    pub fn mortar_rows(&self) -> [LinkRow; 4] {
        let (anchors, a) = (self.anchors(), self.frames[0].rotation());
        let along = |i: usize| LinkRow::Along { direction: a.column(i).into_owned(), anchors };
        [along(2), along(0), along(1), self.coordinate_row(Axis::Angle)]
    }

    /// The row whose value is a coordinate.
    pub fn coordinate_row(&self, axis: Axis) -> LinkRow {
        let anchors = self.anchors();
        let [a, b] = [0, 1].map(|k| self.frames[k].rotation());
        match axis {
            Axis::Slide => LinkRow::Along { direction: a.column(2).into_owned(), anchors },
            Axis::Angle => LinkRow::Turn {
                u: a.column(0).into_owned(),
                v: a.column(1).into_owned(),
                b: b.column(0).into_owned(),
            },
            Axis::Length => LinkRow::Length { anchors },
        }
    }

    /// Puts the coordinates in the order of [`JointKind::axes`].
    pub fn sort_coordinates(&mut self) {
        let order = self.kind.axes();
        self.coordinates.sort_by_key(|c| order.iter().position(|a| *a == c.axis));
    }

    /// Anchors in the frames of the bodies (m).
    pub fn anchors(&self) -> [Vector3<f64>; 2] {
        self.frames.map(|f| f.position)
    }

    /// A length that turns its angles into distances (m): the mean size of its bodies that have one.
    pub fn size(&self, shape: impl Fn(usize) -> Option<f64>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for size in self.bodies.iter().filter_map(|id| shape(*id)) {
            sum += size;
            count += 1.0;
        }
        if count > 0.0 { sum / count } else { 1.0 }
    }

    /// Largest violation of its equations: of distances (m) and angles (rad).
    pub fn violation(&self, poses: [&Pose; 2]) -> [f64; 2] {
        let at = poses.map(placement);
        let mut worst = [0.0_f64; 2];
        for (row, target, is_angle) in self.equations() {
            let error = (row.value(&at) - target).abs();
            let part = &mut worst[usize::from(is_angle)];
            *part = part.max(error);
        }
        worst
    }
}

/// A pose as the rows see it.
pub fn placement(pose: &Pose) -> Placement {
    Placement { position: pose.position, rotation: pose.rotation() }
}

/// An angle taken to within π of another.
pub fn nearest_turn(angle: f64, to: f64) -> f64 {
    let off = angle - to;
    if off.abs() <= PI { angle } else { angle - TAU * (off / TAU).round() }
}

/// Pairs of bodies that have no contact because of a joint or because they are excluded, sorted.
pub fn joined_pairs(joints: &[Joint], excluded: &[[usize; 2]]) -> Vec<(usize, usize)> {
    let key = |[a, b]: [usize; 2]| (a.min(b), a.max(b));
    let joined = joints.iter().filter(|j| !j.collide).map(|j| j.bodies);
    let mut pairs: Vec<_> = joined.chain(excluded.iter().copied()).map(key).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
