//! The best iterate so far, with its residual.

use crate::solver::iterate::Iterate;
use crate::solver::residual::Residual;

/// An iterate and its residual; replaced by better ones only.
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

    /// Takes over an iterate with a lower residual, or any if there is none that is a number; returns whether
    /// it did.
    pub fn keep_if_better(&mut self, iterate: &Iterate, residual: Residual) -> bool {
        let better = residual.max() < self.residual.max() || self.residual.max().is_nan();
        if better {
            self.set(iterate, residual);
        }
        better
    }
}
