//! Unknowns of a step, and the best of them so far.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::residual::Residual;

/// Unknowns: velocities of bodies (6 each) and impulses per contact row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iterate {
    /// v.
    pub velocity: Vec<f64>,
    /// x.
    pub impulse: Vec<f64>,
}

impl Iterate {
    /// Takes over the values, keeping the allocation.
    pub fn copy_from(&mut self, other: &Iterate) {
        self.velocity.clone_from(&other.velocity);
        self.impulse.clone_from(&other.impulse);
    }

    /// v := A⁻¹ (b + Jᵀ x) if A is block-diagonal; coupled problems keep their velocities.
    pub fn balance(&mut self, problem: &ContactProblem) {
        if !problem.coupling.is_empty() {
            return;
        }
        problem.balance(&self.impulse, &mut Vec::new(), &mut self.velocity);
        debug_assert_eq!(self.velocity.len(), BLOCK * problem.n_bodies());
    }
}

/// Iterate and its residual; replaced by better ones only.
#[derive(Debug, Default)]
pub struct Best {
    /// The iterate.
    pub iterate: Iterate,
    /// Its residual.
    pub residual: Residual,
}

impl Best {
    /// Takes over an iterate whatever its residual.
    pub fn set(&mut self, iterate: &Iterate, residual: Residual) {
        self.iterate.copy_from(iterate);
        self.residual = residual;
    }

    /// Takes over an iterate with a lower residual, or any if the residual so far is not a number; returns
    /// whether it did.
    pub fn keep_if_better(&mut self, iterate: &Iterate, residual: Residual) -> bool {
        let better = residual.max() < self.residual.max() || self.residual.max().is_nan();
        if better {
            self.set(iterate, residual);
        }
        better
    }
}
