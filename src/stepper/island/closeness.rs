//! How near an iterate is to the solution, as far as it says which contact points may bear nothing.

use crate::contact::CheckLevel;

/// Contact points of flat pairs that no longer support both bodies are looked for once all else is below
/// this.
const UNSUPPORTED_BELOW: f64 = 1e-3;

/// The same while sweeps go on: they take up cheaply what others bear instead, and a point that goes in the
/// last round costs another one.
const UNSUPPORTED_EARLY: f64 = 0.3;

/// Those that push along another normal than the rest, below this: until then they steady the iteration.
const MISALIGNED_BELOW: f64 = 1e-6;

/// Residual of the last refresh without what unsupported and misaligned contact points lift and twist, and
/// the residual aimed at. What would pass as solved is always checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closeness {
    rest: f64,
    aim: f64,
    /// From where on unsupported contact points are looked for.
    unsupported_below: f64,
}

impl Default for Closeness {
    /// Nothing is known yet.
    fn default() -> Self {
        Self { rest: f64::INFINITY, aim: 0.0, unsupported_below: UNSUPPORTED_BELOW }
    }
}

impl Closeness {
    /// After a refresh with this residual; `early`: during sweeps.
    pub fn new(rest: f64, aim: f64, early: bool) -> Self {
        let unsupported_below = if early { UNSUPPORTED_EARLY } else { UNSUPPORTED_BELOW };
        Self { rest, aim, unsupported_below }
    }

    /// How closely contact points are checked.
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

    /// What the solver sees of a fault of unsupported contact points, and of one of misaligned ones; `rest`
    /// is the residual without them. While they are not looked for, they must not hide from the solver how
    /// far all else is: it would see no progress.
    pub fn visible(self, [unsupported, misaligned]: [f64; 2], rest: f64) -> [f64; 2] {
        let seen = |fault: f64, below: f64| if !self.is_below(below) && fault > rest { rest } else { fault };
        [seen(unsupported, self.unsupported_below), seen(misaligned, MISALIGNED_BELOW)]
    }
}
