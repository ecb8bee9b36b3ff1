//! What contact and dynamics need of a body: prepared once per run, and placed at a pose.

use crate::geometry::flight::TurningBody;
use crate::geometry::{Pose, Shape};
use crate::kernels::smooth_pair::Ellipsoid;
use crate::scene::Scene;
use nalgebra::{Matrix3, Vector3};

/// A body as the stepper sees it.
#[derive(Debug, Clone)]
pub struct BodyModel {
    /// Shape in the shape frame.
    pub shape: Shape,
    /// Pose of the shape frame in the body frame.
    pub shape_pose: Pose,
    /// Rotation of `shape_pose`.
    pub shape_rotation: Matrix3<f64>,
    /// Mass (kg).
    pub mass: f64,
    /// Inertia tensor, body frame (kg m²).
    pub inertia: Matrix3<f64>,
    /// Its inverse; zero where there is none.
    pub inverse_inertia: Matrix3<f64>,
    /// Radius about the centre of mass of a ball that holds the body (m).
    pub radius: f64,
    /// Size (m), 0 for shapes without one.
    pub size: f64,
    /// Material index.
    pub material: usize,
    /// Forces do not move it: it stays, or its motion is prescribed.
    pub fixed: bool,
    /// Bodies it has no contact with because a joint connects them, ascending.
    pub joined: Vec<usize>,
    /// Half extents of a box along the axes of the shape frame (m).
    pub half_extents: Option<Vector3<f64>>,
}

impl BodyModel {
    /// The models of all bodies of a scene, by body id.
    pub fn all(scene: &Scene) -> Vec<BodyModel> {
        let mut joined = vec![Vec::new(); scene.bodies.len()];
        for (a, b) in scene.joined_pairs() {
            joined[a].push(b);
            joined[b].push(a);
        }
        joined.iter_mut().for_each(|list| list.sort_unstable());
        scene
            .bodies
            .iter()
            .zip(joined)
            .map(|(body, joined)| BodyModel {
                shape: body.shape.clone(),
                shape_pose: body.shape_pose,
                shape_rotation: body.shape_pose.rotation(),
                mass: body.mass,
                inertia: body.inertia,
                inverse_inertia: body.inertia.try_inverse().unwrap_or_else(Matrix3::zeros),
                radius: body.shape_pose.position.norm() + body.shape.bounding_radius(),
                size: body.shape.size().unwrap_or(0.0),
                material: body.material,
                fixed: body.fixed,
                joined,
                half_extents: match &body.shape {
                    Shape::Polytope(polytope) => polytope.half_extents(),
                    _ => None,
                },
            })
            .collect()
    }

    /// How it turns when nothing turns it.
    pub fn turning(&self) -> TurningBody<'_> {
        TurningBody { inertia: &self.inertia, inverse: &self.inverse_inertia }
    }

    /// World normal and offset of a half-space body: { x : n·x ≤ offset }. None for other shapes.
    pub fn plane(&self, pose: &Pose) -> Option<(Vector3<f64>, f64)> {
        let Shape::HalfSpace { normal, offset } = &self.shape else { return None };
        let frame = pose.compose(&self.shape_pose);
        let n = frame.orientation * normal;
        Some((n, offset + n.dot(&frame.position)))
    }

    /// The smaller size of two bodies (m); one without a size does not count.
    pub fn smaller_size(&self, other: &BodyModel) -> f64 {
        [self.size, other.size].into_iter().filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min)
    }

    /// How far the body reaches from its centre of mass along a unit direction, placed (m).
    pub fn support_width(&self, moved: &MovedBody, direction: &Vector3<f64>) -> f64 {
        let origin = direction.dot(&moved.shape_origin);
        match &self.shape {
            Shape::Ellipsoid { .. } => origin + moved.ellipsoid.support(direction).0,
            Shape::HalfSpace { .. } => f64::INFINITY,
            Shape::Polytope(polytope) => {
                let local = moved.shape_rotation.tr_mul(direction);
                origin + local.dot(&polytope.vertices[polytope.support(&local)])
            }
            Shape::Cylinder { radius, half_length } => {
                // Not √(1 − cos²): that is wrong by 1e-8 along the axis.
                let axis: Vector3<f64> = moved.shape_rotation.column(2).into();
                origin + half_length * direction.dot(&axis).abs() + radius * direction.cross(&axis).norm()
            }
        }
    }

    /// The lowest n·x over the placed body (m).
    pub fn lowest(&self, moved: &MovedBody, n: &Vector3<f64>) -> f64 {
        n.dot(&moved.position) - self.support_width(moved, &-n)
    }
}

/// A body at a pose, with what every pair of it shares.
#[derive(Debug, Clone, Copy)]
pub struct MovedBody {
    /// Centre of mass (m).
    pub position: Vector3<f64>,
    /// Rotation matrix of the body.
    pub rotation: Matrix3<f64>,
    /// Ellipsoid in world axes, centre relative to the centre of mass; of other bounded shapes the ball that
    /// holds them, zero for a half-space.
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
                Ellipsoid { center: Vector3::zeros(), q: Matrix3::zeros(), disc: None, root: None }
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
