//! A body placed at a pose, as contacts see it.

use super::BodyModel;
use crate::geometry::{Pose, Shape};
use crate::kernels::smooth_pair::Ellipsoid;
use nalgebra::{Matrix3, Vector3};

/// A body at a pose, with what every pair of it shares.
#[derive(Debug, Clone, Copy)]
pub struct MovedBody {
    /// Centre of mass (m).
    pub position: Vector3<f64>,
    /// Rotation matrix of the body.
    pub rotation: Matrix3<f64>,
    /// Ellipsoid in world axes, centre relative to the centre of mass; of other bounded shapes the ball that holds
    /// them, zero for a half-space.
    pub ellipsoid: Ellipsoid<f64>,
    /// Plane of a half-space in world axes: (normal, offset).
    pub plane: Option<(Vector3<f64>, f64)>,
    /// Rotation matrix of the shape frame.
    pub shape_rotation: Matrix3<f64>,
    /// Origin of the shape frame relative to the centre of mass, world axes (m).
    pub shape_origin: Vector3<f64>,
}

impl MovedBody {
    /// Places a body.
    pub fn new(model: &BodyModel, pose: &Pose) -> Self {
        let rotation = pose.rotation();
        let ellipsoid = match &model.shape {
            Shape::Ellipsoid { semi_axes } => Ellipsoid::new(
                rotation * model.shape_pose.position,
                &(rotation * model.shape_rotation),
                semi_axes,
            ),
            Shape::HalfSpace { .. } => {
                Ellipsoid { center: Vector3::zeros(), q: Matrix3::zeros(), disc: None }
            }
            // Their ball, for the broad phase.
            Shape::Polytope(_) | Shape::Cylinder { .. } => Ellipsoid::new(
                rotation * model.shape_pose.position,
                &rotation,
                &Vector3::repeat(model.shape.bounding_radius()),
            ),
        };
        Self {
            position: pose.position,
            rotation,
            ellipsoid,
            plane: model.plane(pose),
            shape_rotation: rotation * model.shape_rotation,
            shape_origin: rotation * model.shape_pose.position,
        }
    }
}
