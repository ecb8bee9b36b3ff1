//! Linearization of a step's problem: all data that belongs to one iterate v_k.

use super::units::Units;
use crate::linalg::BLOCK;
use nalgebra::Matrix6;
use std::ops::Range;

/// Derivative of the contact forces with the geometry at fixed impulses, K = ∂(Jᵀx)/∂v, and of body terms.
#[derive(Debug, Clone, Default)]
pub struct Stiffness {
    /// Dense blocks of loaded contacts, (6k × 6k) row-major over the contact's k bodies.
    pub blocks: Vec<f64>,
    /// Place at which a contact's block starts in `blocks`; `usize::MAX` when it has none.
    pub start: Vec<usize>,
    /// Per body: derivative of body terms (gyroscopic torque) with its own velocity.
    pub body: Vec<Matrix6<f64>>,
}

impl Stiffness {
    /// `start` of a contact without a block.
    pub const NONE: usize = usize::MAX;

    /// Appends a block of zeros for contact c over so many bodies, and returns its range.
    pub fn reserve(&mut self, c: usize, n_bodies: usize) -> Range<usize> {
        let (start, width) = (self.blocks.len(), BLOCK * n_bodies);
        self.start[c] = start;
        self.blocks.resize(start + width * width, 0.0);
        start..start + width * width
    }
}

/// The parts of a contact problem that every linearization makes anew.
#[derive(Debug, Clone, Default)]
pub struct Linearization {
    /// v_k, at which the problem is linearized.
    pub velocity: Vec<f64>,
    /// b: A v* for a linear problem.
    pub free_momentum: Vec<f64>,
    /// J: force directions.
    pub jacobian: Vec<f64>,
    /// Y = ∂y/∂v; empty means Y = J.
    pub response: Vec<f64>,
    /// y_k per row; S_j v_k for shift rows.
    pub slip: Vec<f64>,
    /// λ̂ per normal row of contacts with several: its fraction of the normal impulse at v_k.
    pub load_fraction: Vec<f64>,
    /// r: proximal step sizes per row, kept by
    /// [`update_weights`](crate::problem::ContactProblem::update_weights).
    pub weight: Vec<f64>,
    /// K.
    pub stiffness: Stiffness,
    /// Units of the residual at this iterate.
    pub units: Units,
}
