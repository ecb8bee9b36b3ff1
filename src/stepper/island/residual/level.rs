//! Level of the residual of an iterate, as far as it decides which contact points may carry no load.

use crate::contact::CheckLevel;
use crate::stepper::parameters::{
    MISALIGNED_BELOW_RESIDUAL, UNSUPPORTED_BELOW_RESIDUAL, UNSUPPORTED_BELOW_RESIDUAL_SWEEPING,
};

/// Residual of the last refresh without the faults of unsupported and misaligned contact points, beside the
/// target residual. An iterate that would pass as solved is always checked.
#[derive(Debug, Clone, Copy)]
pub(in crate::stepper) struct ResidualLevel {
    /// Residual of all other faults.
    others: f64,
    target: f64,
    /// Residual below which unsupported contact points are searched for.
    unsupported_below: f64,
}

impl Default for ResidualLevel {
    /// Level before any refresh: nothing is known.
    fn default() -> Self {
        Self { others: f64::INFINITY, target: 0.0, unsupported_below: UNSUPPORTED_BELOW_RESIDUAL }
    }
}

impl ResidualLevel {
    /// Level after a refresh with the residual of all other faults; `early`: during sweeps.
    pub fn new(others: f64, target: f64, early: bool) -> Self {
        let unsupported_below =
            if early { UNSUPPORTED_BELOW_RESIDUAL_SWEEPING } else { UNSUPPORTED_BELOW_RESIDUAL };
        Self { others, target, unsupported_below }
    }

    /// Level to which contact points are checked.
    pub fn checks(self) -> CheckLevel {
        if self.is_below(MISALIGNED_BELOW_RESIDUAL) {
            CheckLevel::Alignment
        } else if self.is_below(self.unsupported_below) {
            CheckLevel::Support
        } else {
            CheckLevel::None
        }
    }

    fn is_below(self, limit: f64) -> bool {
        self.others < limit || self.others <= self.target
    }

    /// Faults of unsupported and of misaligned contact points as the solver sees them, beside the residual of
    /// all other faults. While such points are not searched for, their faults must not hide from the solver
    /// how far all else is: it would see no progress.
    pub fn visible(self, [unsupported, misaligned]: [f64; 2], others: f64) -> [f64; 2] {
        let seen =
            |fault: f64, below: f64| if !self.is_below(below) && fault > others { others } else { fault };
        [seen(unsupported, self.unsupported_below), seen(misaligned, MISALIGNED_BELOW_RESIDUAL)]
    }
}
