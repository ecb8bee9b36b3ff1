//! Memory that the staggered integrator uses again in each step.

use nalgebra::Matrix3;

/// Scratch memory of the begin of a step.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Impulses of the contact points of a pair in the last step (N s).
    pub(super) loads: Vec<f64>,
    /// Stiffness with which the joints of each body hold its direction.
    pub(super) stiffness: Vec<Matrix3<f64>>,
}
