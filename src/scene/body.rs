//! One rigid body of the scene.

use crate::geometry::{Pose, Shape, Velocity};
use nalgebra::{Matrix3, Vector3};

/// A body of a scene or a simulation.
///
/// In a scene it is the place in [`Scene::bodies`](super::Scene::bodies). A simulation that starts from the
/// scene keeps these ids. A body that is added gets the next number that was never used, and the id of a
/// removed body is not used again: an id means the same body as long as the simulation lives, whatever is
/// added and removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct BodyId(usize);

impl BodyId {
    /// The id of a number.
    pub fn new(number: usize) -> Self {
        Self(number)
    }

    /// The number: in a scene, the place in [`Scene::bodies`](super::Scene::bodies).
    pub fn index(self) -> usize {
        self.0
    }
}

/// A rigid body. Its origin is the centre of mass.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Body {
    /// Unique name.
    pub name: String,
    /// Shape in the shape frame.
    pub shape: Shape,
    /// Pose of the shape frame in the body frame (an off-centre mass is a shape off the origin).
    pub shape_pose: Pose,
    /// Mass (kg, > 0). Irrelevant when `fixed`.
    pub mass: f64,
    /// Inertia tensor about the centre of mass, body frame (kg m²), symmetric positive definite.
    pub inertia: Matrix3<f64>,
    /// Index of the material in the friction table.
    pub material: usize,
    /// Pose at time 0, world.
    pub pose: Pose,
    /// Velocity at time 0, world.
    pub velocity: Velocity,
    /// A fixed body never moves (its velocity is zero).
    pub fixed: bool,
    /// Constant applied force (N), world, at the centre of mass.
    pub force: Vector3<f64>,
    /// Constant applied torque (N m), world.
    pub torque: Vector3<f64>,
}
