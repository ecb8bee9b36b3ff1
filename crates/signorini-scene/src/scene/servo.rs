//! Servos: motors whose force is a stress times the area between walls, as it is at the start of each step.

use super::body::Body;
use super::time_function::TimeFunction;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::{Pose, Shape, bounds};

/// A servo of a motor that gives a force, or holds a speed with a largest force.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Servo {
    /// Name of the motor.
    pub motor: String,
    /// Stress (Pa) at the end of the step.
    pub stress: TimeFunction,
    /// Both widths of the area.
    pub widths: [Width; 2],
}

/// A width of an area: the distance of two bodies along a direction.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Width {
    /// Body ids; the second lies behind the first along the direction.
    pub bodies: [usize; 2],
    /// Unit direction, world axes.
    pub along: Vector3<f64>,
}

impl Width {
    /// Distance (m) from where the first body ends along the direction to where the second one begins; not
    /// finite where a half-space faces another way.
    pub fn length(&self, bodies: &[Body], poses: &[Pose]) -> f64 {
        let [a, b] = self.bodies;
        -reach(&bodies[b], &poses[b], &-self.along) - reach(&bodies[a], &poses[a], &self.along)
    }
}

/// How far a body reaches along a unit direction from the origin (m).
fn reach(body: &Body, pose: &Pose, along: &Vector3<f64>) -> f64 {
    let to_x = UnitQuaternion::rotation_between(along, &Vector3::x())
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
    let of_part = |part: &super::body::Part| {
        let at = pose.compose(&part.pose);
        match &part.shape {
            Shape::HalfSpace { normal, offset } => {
                let normal = at.orientation * normal;
                let faces = (normal - along).norm() < FACING;
                if faces { normal.dot(&at.position) + offset } else { f64::INFINITY }
            }
            shape => {
                let turned = Pose { position: to_x * at.position, orientation: to_x * at.orientation };
                bounds::bounds(shape, &turned).1.x
            }
        }
    };
    body.parts.iter().map(of_part).fold(f64::NEG_INFINITY, f64::max)
}

/// How far (rad) a half-space may face away from the direction of a width.
const FACING: f64 = 1e-6;
