//! Limits of sweeps, and whether they still pay.

use crate::solver::parameters::sweeps::FIRST_PROGRESS_CHECK;

/// Limits of sweeps: the residual at which they end, their number, and what is kept up to date meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct SweepLimits {
    /// The natural map to reach, in the units of the problem.
    pub residual: f64,
    /// Sweeps at most.
    pub most: usize,
    /// Whether stiffness and response are kept up to date: not where impulses may be far from those that the
    /// stiffness was made for.
    pub stiff: bool,
    /// Whether masses are made heavier where stiffness and response would otherwise go to and fro.
    pub damps: bool,
}

/// How it went.
#[derive(Debug, Clone, Copy)]
pub struct Swept {
    /// Sweeps taken.
    pub sweeps: usize,
    /// The natural map that is left, or what the last update of lagged terms changed if that is more.
    pub residual: f64,
}

/// Whether the least residual still falls, checked whenever the number of sweeps has doubled: it jumps up
/// and down, and no rate between closer checks says anything.
#[derive(Debug)]
pub(super) struct Progress {
    least: f64,
    last: f64,
    next: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { least: f64::INFINITY, last: f64::INFINITY, next: FIRST_PROGRESS_CHECK }
    }
}

impl Progress {
    /// After so many sweeps with this residual.
    pub(super) fn goes_on(&mut self, sweeps: usize, residual: f64) -> bool {
        self.least = self.least.min(residual);
        if sweeps < self.next {
            return true;
        }
        self.next = 2 * sweeps;
        std::mem::replace(&mut self.last, self.least) > self.least
    }
}
