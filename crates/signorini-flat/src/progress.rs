//! Whether a solve gets nearer to its solution.

use crate::parameters::{CIRCLING_PART, CIRCLING_TURNS};

/// Changes of the turns so far.
#[derive(Debug, Default)]
pub struct Progress {
    changes: Vec<f64>,
}

impl Progress {
    /// Whether the last turns, with one of so large a change now, brought nothing against those before.
    pub fn circles(&mut self, change: f64) -> bool {
        self.changes.push(change);
        let least = |changes: &[f64]| changes.iter().copied().fold(f64::INFINITY, f64::min);
        let Some(split) = self.changes.len().checked_sub(CIRCLING_TURNS) else { return false };
        let (before, last) = self.changes.split_at(split);
        before.len() >= CIRCLING_TURNS && least(last) > CIRCLING_PART * least(before)
    }
}
