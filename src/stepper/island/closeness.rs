//! Closeness of an iterate to the solution, as far as it decides which contact points may carry no load.

use crate::contact::CheckLevel;

/// Residual of all else below which flat pairs are checked for unsupported contact points, those that no
/// longer support both bodies.
const UNSUPPORTED_BELOW: f64 = 1e-3;

/// Limit in place of [`UNSUPPORTED_BELOW`] while sweeps go on: sweeps cheaply move the load of excluded
/// points to others, and a point that is excluded in the last round costs another round.
const UNSUPPORTED_EARLY: f64 = 0.3;

/// Residual below which pairs are checked for misaligned contact points, those that push along another normal
/// than the rest; above, such points steady the iteration.
const MISALIGNED_BELOW: f64 = 1e-6;

/// Residual of the last refresh without the faults of unsupported and misaligned contact points, and the
/// residual aimed at. An iterate that would pass as solved is always checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closeness {
    rest: f64,
    aim: f64,
    /// Residual below which unsupported contact points are searched for.
    unsupported_below: f64,
}

impl Default for Closeness {
    /// Closeness before any refresh: nothing is known.
    fn default() -> Self {
        Self { rest: f64::INFINITY, aim: 0.0, unsupported_below: UNSUPPORTED_BELOW }
    }
}

impl Closeness {
    /// Closeness after a refresh with residual `rest`; `early`: during sweeps.
    pub fn new(rest: f64, aim: f64, early: bool) -> Self {
        let unsupported_below = if early { UNSUPPORTED_EARLY } else { UNSUPPORTED_BELOW };
        Self { rest, aim, unsupported_below }
    }

    /// Level to which contact points are checked.
    pub fn checks(self) -> CheckLevel {
        if self.is_below(MISALIGNED_BELOW) {
            CheckLevel::Alignment
        } else if self.is_below(self.unsupported_below) {
            CheckLevel::Support
        } else {
            CheckLevel::None
        }
    }

    fn is_below(self, limit: f64) -> bool {
        self.rest < limit || self.rest <= self.aim
    }

    /// Faults of unsupported and of misaligned contact points as the solver sees them; `rest` is the residual
    /// without them. While such points are not searched for, their faults must not hide from the solver how
    /// far all else is: it would see no progress.
    pub fn visible(self, [unsupported, misaligned]: [f64; 2], rest: f64) -> [f64; 2] {
        let seen = |fault: f64, below: f64| if !self.is_below(below) && fault > rest { rest } else { fault };
        [seen(unsupported, self.unsupported_below), seen(misaligned, MISALIGNED_BELOW)]
    }
}
