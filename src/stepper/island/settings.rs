//! What an island's step is solved with.

use crate::settings::SolverSettings;
use crate::solver::Run;

/// Restarts of the solver's own ladder before a step is halved; only a shortest substep is given all of them.
/// The first restart (cold) often helps, the others seldom, and cost as much as both halves.
const RESTARTS_BEFORE_HALVING: usize = 1;

/// What halving is done with.
#[derive(Debug, Clone, Copy)]
pub struct Halving<'a> {
    /// Local index of each body within its island.
    pub local_of: &'a [usize],
    /// What the whole step is solved with.
    pub run: &'a Run,
    /// What a substep has to reach.
    pub goals: &'a SolverSettings,
    /// Levels of halving: the shortest substep is h / 2^most_halvings.
    pub most_halvings: u32,
}

impl Halving<'_> {
    /// Length of the shortest substep as a fraction of h.
    pub(in crate::stepper) fn shortest(&self) -> f64 {
        0.5_f64.powi(self.most_halvings as i32)
    }

    /// What a part of the step of that length is solved with.
    pub fn run_for(&self, length: f64) -> Run {
        let most = if length > self.shortest() { RESTARTS_BEFORE_HALVING } else { usize::MAX };
        Run { restarts: self.run.restarts.min(most), ..*self.run }
    }
}
