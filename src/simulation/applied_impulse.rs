//! An impulse that waits for the next step.

use nalgebra::Vector3;

/// An impulse on a body, at its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct AppliedImpulse {
    /// Place of the body in the scene.
    pub body: usize,
    /// Linear impulse (N s), world.
    pub linear: Vector3<f64>,
    /// Angular impulse (N m s), world.
    pub angular: Vector3<f64>,
}
