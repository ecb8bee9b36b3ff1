//! Loads that depend on time.

use nalgebra::Vector3;
use signorini_geometry::ContactKind;

/// Condition that an impulse waits for.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Condition {
    /// A component of its body's angular velocity reaches a value, from either side; each time.
    AngularVelocity {
        /// Unit direction, world.
        axis: Vector3<f64>,
        /// The value (rad/s).
        reaches: f64,
    },
    /// Its body carries load on another in a contact of this kind, or of more dimensions; the first time.
    Contact {
        /// The kind.
        kind: ContactKind,
    },
}

/// An impulse applied once, or whenever its condition is met.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Impulse {
    /// Body id.
    pub body: usize,
    /// Time (s, ≥ 0): applied in the step k with k h ≤ time < (k + 1) h; with a condition, not before.
    pub time: f64,
    /// Condition, if any: the impulse is applied in each step that follows one at whose end the condition was
    /// met.
    pub when: Option<Condition>,
    /// Linear impulse (N s), world, at the centre of mass.
    pub linear: Vector3<f64>,
    /// Angular impulse (N m s), world.
    pub angular: Vector3<f64>,
}

/// A force and torque applied in a window of time: in every step that starts in [from, to).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TimedForce {
    /// Body id.
    pub body: usize,
    /// Start (s).
    pub from: f64,
    /// End (s).
    pub to: f64,
    /// Force (N), world, at the centre of mass.
    pub force: Vector3<f64>,
    /// Torque (N m), world.
    pub torque: Vector3<f64>,
}
