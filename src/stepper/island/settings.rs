//! Settings of the solves of an island's step.

use crate::stepper::island::problem::IslandProblem;
use signorini_ncp::solver::{Info, SolveOptions};
use signorini_scene::settings::SolverSettings;

/// Restarts of the solver before a step is halved; only a shortest substep is given all of them. The first
/// restart (cold) often helps, the others seldom, and cost as much as both halves.
const RESTARTS_BEFORE_HALVING: usize = 1;

/// A substep of this part of the step has all iterations: even shorter ones are not worth sweeps.
const SWEPT_DOWN_TO: f64 = 0.125;

/// Settings of halving.
#[derive(Debug, Clone, Copy)]
pub struct Halving<'a> {
    /// Local index of each body within its island.
    pub local_of: &'a [usize],
    /// Run settings of the whole step.
    pub run: &'a SolveOptions,
    /// Solver settings of the scene, with the tolerance of a substep.
    pub goals: &'a SolverSettings,
    /// Levels of halving: the shortest substep is h / 2^most_halvings.
    pub most_halvings: u32,
}

impl Halving<'_> {
    /// Length of the shortest substep as a fraction of h.
    pub(in crate::stepper) fn shortest(&self) -> f64 {
        0.5_f64.powi(self.most_halvings as i32)
    }

    /// Run settings of the first attempt at a part of an island's step of that length. In large smooth
    /// islands sweeps fail to converge because of the geometric stiffness, which falls with the step: few of
    /// Newton's iterations follow them. Over manifolds sweeps fail for other reasons, and in small islands
    /// iterations are cheap.
    pub(in crate::stepper) fn attempt(&self, island: &IslandProblem, length: f64) -> SolveOptions {
        let iterations_after_sweeps = self.brief_iterations(island, length).unwrap_or(usize::MAX);
        SolveOptions { iterations_after_sweeps, ..self.run_for(length) }
    }

    /// Whether a failed attempt at a part of that length, with this cost, was not given all iterations.
    pub(in crate::stepper) fn was_brief(&self, island: &IslandProblem, length: f64, cost: &Info) -> bool {
        let most = self.brief_iterations(island, length).map(|brief| brief + self.run.inner_iterations);
        cost.sweeps > 0 && most.is_some_and(|most| cost.iterations <= most)
    }

    /// Iterations after sweeps without success, where they are fewer than otherwise.
    fn brief_iterations(&self, island: &IslandProblem, length: f64) -> Option<usize> {
        let (methods, n_bodies) = (&self.run.methods, island.bodies.len());
        let is_brief = length > self.shortest().max(SWEPT_DOWN_TO)
            && n_bodies >= methods.early_substepping_bodies
            && island.pairs.iter().all(|pair| pair.manifold.is_none());
        is_brief.then(|| (methods.early_substepping_work / n_bodies).max(1))
    }

    /// Run settings of a part of the step of that length.
    pub fn run_for(&self, length: f64) -> SolveOptions {
        let most = if length > self.shortest() { RESTARTS_BEFORE_HALVING } else { usize::MAX };
        SolveOptions { restarts: self.run.restarts.min(most), ..*self.run }
    }
}
