//! An island's step as the problem that the solver refreshes: geometry at the end of the step.

use crate::kernels::device_pairs::PairsOnDevice;
use crate::problem::ContactProblem;
use crate::solver::{Residual, StepProblem, Times};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;

/// An island's problem together with what it shares: what the solver refreshes.
pub struct Refreshed<'a> {
    /// The island.
    pub island: &'a mut IslandProblem,
    /// The step.
    pub context: &'a StepContext<'a>,
}

impl StepProblem for Refreshed<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.island.problem
    }

    fn parts(&mut self) -> (&ContactProblem, PairsOnDevice<'_>) {
        self.island.pairs_on_device()
    }

    fn fetch_rows(&mut self) {
        self.island.device.fetches_rows = true;
    }

    fn leave_rows(&mut self) {
        self.island.device.fetches_rows = false;
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        let n = self.island.bodies.len();
        let (start, island) = (Times::stamp(n), &mut *self.island);
        island.problem.at.velocity.copy_from_slice(v);
        island.place_bodies(self.context, v);
        let before = island.closeness;
        let mut residual = island.linearize(self.context, v, x);
        let checks = island.closeness.checks();
        let has_manifolds = island.pairs.iter().any(|p| p.manifold.is_some());
        // A step may jump from afar to its solution: contact points that only the closer iterate checks must not
        // slip through.
        let checks_more = checks > before.checks();
        if checks_more && has_manifolds && !island.is_settled(self.context, x, checks) {
            residual = island.linearize(self.context, v, x);
        }
        if has_manifolds {
            island.keep_best(v, x, &residual, before);
        }
        island.geometry_seconds += Times::between(start, Times::stamp(n));
        residual
    }

    fn start_again(&mut self) {
        self.island
            .pairs
            .iter_mut()
            .filter_map(|pair| pair.manifold.as_mut())
            .for_each(|manifold| manifold.readmit_all());
    }

    fn mark_idle(&self, x: &[f64], bears: &mut [bool]) {
        self.island.mark_idle(self.context, x, bears);
    }

    fn return_to_best(&mut self, v: &mut [f64], x: &mut [f64]) -> Option<Residual> {
        self.island.recall_best(v, x).then(|| self.refresh(v, x))
    }
}
