//! Memory that the staggered integrator uses again in each step.

use nalgebra::Matrix3;

/// Scratch of a step's begin.
#[derive(Debug, Default)]
pub struct Workspace {
    /// What each point of a pair bore.
    pub(super) loads: Vec<f64>,
    /// By which the joints of each body hold its direction.
    pub(super) stiffness: Vec<Matrix3<f64>>,
}
