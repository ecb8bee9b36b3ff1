//! Data that all formats lead to: links, joints, and notes about elements that have no counterpart.

use super::xml::{Element, Place};
use crate::scene::coupling::COEFFICIENTS;
use crate::scene::{Axis, Drive, Motor};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Pose;
use std::collections::HashMap;
use std::path::PathBuf;

/// Mass of a link without mass, as a fraction of the mass of the link behind it; at least
/// [`LEAST_TRACE_MASS`].
const TRACE_MASS_FRACTION: f64 = 1e-10;
/// Least mass of a link without mass (kg).
const LEAST_TRACE_MASS: f64 = 2e-15;

/// Positions of joints by name (m or rad); others are at their references.
pub type Positions = HashMap<String, f64>;

/// A robot or a scene of another format, placed in the world.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Gravity (m/s²), where the format has one.
    pub gravity: Option<Vector3<f64>>,
    /// Time step (s), where the format has one.
    pub time_step: Option<f64>,
    /// Rigid bodies; bodies that are welded together are one.
    pub links: Vec<Link>,
    /// Joints between them.
    pub joints: Vec<ModelJoint>,
    /// Joints whose positions follow those of others.
    pub couplings: Vec<ModelCoupling>,
    /// Motors of the joints that are set from outside, in the order of the file.
    pub controls: Vec<ModelControl>,
    /// Geoms that touch with a friction of their own.
    pub pairs: Vec<ModelPair>,
    /// Links that have no contact with each other.
    pub excluded: Vec<[usize; 2]>,
    /// Notes about elements that were not taken over, each with its place.
    pub dropped: Vec<Note>,
}

/// Two geoms that touch with a friction of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelPair {
    /// Numbers of both, as [`Surface::own`] has them, the lesser one first.
    pub geoms: [usize; 2],
    /// Their links.
    pub links: [usize; 2],
    /// Friction between them.
    pub friction: Surface,
}

/// A motor that is set from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelControl {
    /// Its name, unique among the motors of its joint.
    pub motor: String,
    /// Its joint.
    pub joint: usize,
    /// Least and largest value that it can be set to.
    pub range: Option<[f64; 2]>,
}

/// Note about an element that was not taken over.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// Place of the element.
    pub place: Place,
    /// Description of the element that was not taken over.
    pub what: String,
    /// Whether it is a shape of a body that moves, which might fall through others without it.
    pub is_shape: bool,
}

impl Model {
    /// Notes that an element is not taken over.
    pub fn drop(&mut self, element: &Element, what: impl Into<String>) {
        let what = format!("<{}> {}", element.tag, what.into());
        self.dropped.push(Note { place: element.place.clone(), what, is_shape: false });
    }

    /// Notes that a shape of a link is not taken over.
    pub fn drop_shape(&mut self, element: &Element, link: usize, what: impl Into<String>) {
        self.drop(element, what);
        let moves = !self.links[link].fixed;
        self.dropped.last_mut().into_iter().for_each(|note| note.is_shape = moves);
    }
}

/// A rigid body of the model.
#[derive(Debug, Clone)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Place of the element that the link comes from, with the tag.
    pub place: (String, Place),
    /// Its frame in the world.
    pub pose: Pose,
    /// Mass, centre of mass and inertia, in the frame of the link.
    pub inertia: Inertia,
    /// Shapes that may touch others.
    pub geoms: Vec<Geom>,
    /// Whether the link never moves.
    pub fixed: bool,
    /// The link that this link belongs to, if this link only stands between several of its joints and has no
    /// mass or shape of its own.
    pub between: Option<usize>,
}

/// Mass, centre and inertia of a rigid body in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass (m).
    pub center: Vector3<f64>,
    /// Inertia tensor about the centre of mass, axes of the frame (kg m²).
    pub tensor: Matrix3<f64>,
}

impl Inertia {
    /// The inertia of nothing.
    pub fn none() -> Self {
        Self { mass: 0.0, center: Vector3::zeros(), tensor: Matrix3::zeros() }
    }

    /// Mass and inertia for a link without mass between two joints of this link: so little that no other body
    /// feels it.
    pub fn trace_of(&self) -> Self {
        let part = TRACE_MASS_FRACTION.max(LEAST_TRACE_MASS / self.mass.max(f64::MIN_POSITIVE));
        let tensor = Matrix3::identity() * (self.tensor.trace() / 3.0 * part);
        Self { mass: self.mass * part, center: Vector3::zeros(), tensor }
    }

    /// This inertia in a frame in which the present frame has the pose `pose`.
    pub fn placed(&self, pose: &Pose) -> Self {
        let r = pose.orientation.to_rotation_matrix();
        Self { mass: self.mass, center: pose.point(&self.center), tensor: r * self.tensor * r.inverse() }
    }

    /// Two rigid bodies as one.
    pub fn with(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return Self { tensor: self.tensor + other.tensor, ..Self::none() };
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let about = |part: &Self| {
            let d = part.center - center;
            part.tensor + (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * part.mass
        };
        Self { mass, center, tensor: about(self) + about(other) }
    }
}

/// A shape of a link.
#[derive(Debug, Clone)]
pub struct Geom {
    /// Its name in the model, if it has one.
    pub name: Option<String>,
    /// The shape.
    pub shape: GeomShape,
    /// Its frame in the frame of the link.
    pub pose: Pose,
    /// Friction of the surface.
    pub surface: Surface,
    /// Bits by which geoms touch or do not.
    pub mask: Mask,
    /// Place of the element that the geom comes from, with the tag.
    pub place: (String, Place),
}

/// Shapes. Lengths in m; axes along z.
#[derive(Debug, Clone, PartialEq)]
pub enum GeomShape {
    Sphere {
        radius: f64,
    },
    Ellipsoid {
        semi_axes: [f64; 3],
    },
    Box {
        half_extents: [f64; 3],
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    /// A cylinder of that length with a half ball on each end.
    Capsule {
        radius: f64,
        length: f64,
    },
    /// The convex hull of a mesh.
    Mesh {
        file: PathBuf,
        /// Factor along each axis; a negative one mirrors.
        scale: [f64; 3],
    },
    /// The convex hull of points.
    Hull {
        points: Vec<[f64; 3]>,
    },
    /// The half-space z ≤ 0 of its frame.
    Plane,
}

/// Friction of a surface as MJCF has it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Surface {
    /// Coefficient of sliding.
    pub slide: f64,
    /// Length of rolling resistance (m).
    pub rolling: f64,
    /// Length of torsional friction (m).
    pub torsion: f64,
    /// 1: no friction, 3: sliding, 4 and more: torsion too, 6: rolling too.
    pub dimension: u8,
    /// Number of the geom whose surface this is alone, because a pair names it.
    pub own: Option<usize>,
}

/// Two geoms touch when one's type meets the other's affinity in some bit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mask {
    pub kind: u32,
    pub affinity: u32,
}

impl Mask {
    /// Touches all.
    pub const ALL: Self = Self { kind: 1, affinity: 1 };

    /// Whether a geom touches none.
    pub fn is_none(self) -> bool {
        self.kind == 0 && self.affinity == 0
    }

    /// Whether two geoms touch.
    pub fn meets(self, other: Self) -> bool {
        self.kind & other.affinity != 0 || other.kind & self.affinity != 0
    }
}

/// A joint between two links.
#[derive(Debug, Clone)]
pub struct ModelJoint {
    /// Unique name.
    pub name: String,
    /// Place of the element that the joint comes from, with the tag.
    pub place: (String, Place),
    /// The motions that the joint leaves free.
    pub kind: ModelJointKind,
    /// Parent and child; None is the world.
    pub links: [Option<usize>; 2],
    /// A point of the axis (m), world.
    pub anchor: Vector3<f64>,
    /// The axis (unit), world.
    pub axis: Vector3<f64>,
    /// Present value of the coordinate (m or rad), as the model counts.
    pub position: f64,
    /// Value of the coordinate where the model has its bodies (m or rad).
    pub reference: f64,
    /// Limits of the slide (m), counted as the position.
    pub slide_limits: Option<[f64; 2]>,
    /// Limits of the angle (rad), counted as the position.
    pub angle_limits: Option<[f64; 2]>,
    /// Dry friction, springs and actuators, counted as the position; of revolute and prismatic joints only.
    pub motors: Vec<Motor>,
    /// Inertia of its coordinate (kg or kg m²); of revolute and prismatic joints only.
    pub armature: f64,
    /// Whether its links may touch.
    pub collide: bool,
}

impl ModelJoint {
    /// The coordinate that motors act on.
    pub fn driven(&self) -> Option<Axis> {
        match self.kind {
            ModelJointKind::Revolute => Some(Axis::Angle),
            ModelJointKind::Prismatic => Some(Axis::Slide),
            _ => None,
        }
    }

    /// Adds dry friction (N or N m), and a spring to a position with a damper, where there are any.
    pub fn resist(&mut self, friction: f64, (stiffness, rest): (f64, f64), damping: f64) {
        let name = &self.name;
        if friction > 0.0 {
            // A motor that wants to stand still with a bounded force.
            let drive = Drive::Velocity { velocity: 0.0.into(), damping: None };
            self.motors.push(Motor { name: format!("{name} friction"), drive, largest_force: friction });
        }
        if stiffness > 0.0 || damping > 0.0 {
            let drive = Drive::Position { position: rest.into(), stiffness, damping };
            self.motors.push(Motor { name: format!("{name} spring"), drive, largest_force: f64::INFINITY });
        }
    }
}

impl ModelJointKind {
    /// Whether a link without mass may stand between this joint and others.
    pub fn is_chained(self) -> bool {
        matches!(self, Self::Ball | Self::Revolute | Self::Prismatic)
    }
}

/// A joint whose position follows that of another one; both are revolute or prismatic.
#[derive(Debug, Clone)]
pub struct ModelCoupling {
    /// Unique name.
    pub name: String,
    /// Place of the element that the coupling comes from, with the tag.
    pub place: (String, Place),
    /// The joint that follows, and the one that it follows.
    pub joints: [usize; 2],
    /// Coefficients of the powers of the position that is followed.
    pub coefficients: [f64; COEFFICIENTS],
}

impl ModelCoupling {
    /// Coefficients of Σ a_k (q′ − q₀′)^k + q₀ in powers of q′.
    pub fn about(given: &[f64], q0: f64, followed0: f64) -> [f64; COEFFICIENTS] {
        let mut found = [0.0; COEFFICIENTS];
        for c in given.iter().take(COEFFICIENTS).rev() {
            // Horner's scheme, with polynomials in place of numbers.
            let mut next = [0.0; COEFFICIENTS];
            for (k, f) in found.iter().enumerate() {
                next[k] -= f * followed0;
                if k + 1 < COEFFICIENTS {
                    next[k + 1] += f;
                }
            }
            next[0] += c;
            found = next;
        }
        found[0] += q0;
        found
    }

    /// Position that the coupling asks for at that of the joint that is followed.
    pub fn value(&self, followed: f64) -> f64 {
        self.coefficients.iter().rev().fold(0.0, |sum, c| sum * followed + c)
    }
}

/// Motions that a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModelJointKind {
    Fixed,
    Ball,
    Revolute,
    Prismatic,
    Cylindrical,
    /// Rotations about the axis, which goes with the parent, and about a second one that goes with the child.
    Universal {
        second: Vector3<f64>,
    },
    /// Translations across the axis and rotation about it.
    Planar,
}
