//! Loads that depend on time.

use nalgebra::Vector3;

/// An impulse applied once.
#[derive(Debug, Clone, PartialEq)]
pub struct Impulse {
    /// Body id.
    pub body: usize,
    /// Time (s, ≥ 0): applied in the step k with k h ≤ time < (k + 1) h.
    pub time: f64,
    /// Linear impulse (N s), world, at the centre of mass.
    pub linear: Vector3<f64>,
    /// Angular impulse (N m s), world.
    pub angular: Vector3<f64>,
}

/// A force and torque applied in a window of time: in every step that starts in [from, to).
#[derive(Debug, Clone, PartialEq)]
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
