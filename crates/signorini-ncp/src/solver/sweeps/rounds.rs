//! Rounds of sweeps until the natural map is small, or they no longer pay: here, or on a device.

use crate::solver::options::SolveOptions;
use crate::solver::parameters::sweeps::{
    BLOCK_DIVISOR, FIRST_PROGRESS_CHECK, FOLLOW_LOAD_AFTER, FOLLOW_LOAD_WITHIN, MIN_BLOCK,
    UPDATE_LAGGED_BELOW, UPDATE_LAGGED_EVERY,
};
use signorini_kernels::device_sweeps::Lost;

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

/// Rows that are swept.
pub(super) trait Sweeping {
    /// So many sweeps and the natural map.
    fn block(&mut self, n: usize) -> Result<f64, Lost>;

    /// Brings what lags up to date; the largest change of momentum, or the natural map if that is more.
    fn update(&mut self) -> Result<f64, Lost>;

    /// Whether some rows move.
    fn move_with_load(&self) -> bool;
}

/// Sweeps until the target is reached, or they no longer pay.
pub(super) fn iterate(
    rows: &mut impl Sweeping,
    limits: SweepLimits,
    options: &SolveOptions,
) -> Result<Swept, Lost> {
    let mut progress = Progress::default();
    let (mut sweeps, mut block) = (0, 2);
    let (mut between, mut last) = (FOLLOW_LOAD_AFTER, f64::INFINITY);
    loop {
        let n = block.min(limits.most - sweeps);
        let mut residual = rows.block(n)?;
        sweeps += n;
        let is_near = residual <= UPDATE_LAGGED_BELOW * limits.residual;
        if limits.stiff && (is_near || sweeps % UPDATE_LAGGED_EVERY < n) {
            residual = rows.update()?;
        }
        let ended = residual <= limits.residual || sweeps >= limits.most || residual.is_nan();
        if ended || !progress.goes_on(sweeps, residual) || options.is_stopped() {
            return Ok(Swept { sweeps, residual });
        }
        let falls = residual < std::mem::replace(&mut last, residual);
        between = if falls { (2 * between).min(FOLLOW_LOAD_WITHIN) } else { FOLLOW_LOAD_AFTER };
        block = if rows.move_with_load() { between } else { MIN_BLOCK + sweeps / BLOCK_DIVISOR };
    }
}

/// Whether the least residual still falls, checked whenever the number of sweeps has doubled: it jumps up
/// and down, and no rate between closer checks says anything.
#[derive(Debug)]
struct Progress {
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
    fn goes_on(&mut self, sweeps: usize, residual: f64) -> bool {
        self.least = self.least.min(residual);
        if sweeps < self.next {
            return true;
        }
        self.next = 2 * sweeps;
        std::mem::replace(&mut self.last, self.least) > self.least
    }
}
