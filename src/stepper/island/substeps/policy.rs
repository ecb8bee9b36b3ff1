//! Policy of substeps: lengths, and the solve options of an attempt of each length.

use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::{
    ATTEMPT_SHARE, EARLY_SUBSTEPPING_DOWN_TO, MAX_BODY_ITERATIONS, MAX_FAILED_ATTEMPTS,
    RESTARTS_BEFORE_SUBSTEPS, SPARE_ITERATIONS,
};
use signorini_ncp::solver::{Info, Phase, SolveOptions, SolveStatus};
use signorini_scene::settings::SolverSettings;

/// Policy of substeps of one step. A length is a fraction of the step h.
#[derive(Debug, Clone, Copy)]
pub struct SubstepPolicy<'a> {
    /// Local index of each body within its island.
    pub local_of: &'a [usize],
    /// Solve options of the whole step.
    pub options: &'a SolveOptions,
    /// Solver settings of the scene.
    pub settings: &'a SolverSettings,
    /// Levels of halving: the shortest substep is h / 2^max_halvings.
    pub max_halvings: u32,
}

impl SubstepPolicy<'_> {
    /// Length of the shortest substep.
    pub(in crate::stepper) fn shortest(&self) -> f64 {
        0.5_f64.powi(self.max_halvings as i32)
    }

    /// Solve options of a step or substep of that length.
    pub fn options_for(&self, length: f64) -> SolveOptions {
        let most = if length > self.shortest() { RESTARTS_BEFORE_SUBSTEPS } else { usize::MAX };
        SolveOptions { restarts: self.options.restarts.min(most), ..*self.options }
    }

    /// Options of an attempt of that length after so much work of the step: a part of the rest, so that
    /// shorter steps can be tried after it.
    pub(in crate::stepper) fn limited(
        &self,
        options: &SolveOptions,
        length: f64,
        spent: u64,
    ) -> SolveOptions {
        let left = self.options.work.saturating_sub(spent);
        let share = if length > self.shortest() { ATTEMPT_SHARE } else { 1.0 };
        SolveOptions { work: (share * left as f64) as u64, ..*options }
    }

    /// Whether shorter steps may be solved where an attempt ended so, in a step that took so much work so
    /// far: the attempt may have ended at its part of the work only.
    pub(in crate::stepper) fn may_be_halved(&self, status: SolveStatus, spent: u64) -> bool {
        status.may_be_halved() || status == SolveStatus::WorkLimit && spent < self.options.work
    }

    /// Solve options of the first attempt at a step or substep of that length, with early substepping: in
    /// large smooth islands sweeps fail to converge because of the geometric stiffness, which falls with the
    /// step, and few of Newton's iterations follow them. Over manifolds sweeps fail for other reasons, and in
    /// small islands iterations are cheap.
    pub(in crate::stepper) fn first_attempt(&self, island: &IslandProblem, length: f64) -> SolveOptions {
        let iterations_after_sweeps = self.early_substepping_iterations(island, length).unwrap_or(usize::MAX);
        SolveOptions { iterations_after_sweeps, ..self.options_for(length) }
    }

    /// Whether a failed attempt of that length, with this cost, was kept from all its iterations: in flat
    /// arrays, or by early substepping.
    pub(in crate::stepper) fn was_cut_short(&self, island: &IslandProblem, length: f64, cost: &Info) -> bool {
        if cost.phase == Phase::Flat {
            return true;
        }
        let early = self.early_substepping_iterations(island, length);
        let most = early.map(|early| early + self.options.inner_iterations);
        cost.sweeps > 0 && most.is_some_and(|most| cost.iterations <= most)
    }

    /// Newton iterations after unconverged sweeps where early substepping applies.
    fn early_substepping_iterations(&self, island: &IslandProblem, length: f64) -> Option<usize> {
        let (methods, n_bodies) = (&self.options.methods, island.bodies.len());
        let applies = length > self.shortest().max(EARLY_SUBSTEPPING_DOWN_TO)
            && n_bodies >= methods.early_substepping_bodies
            && island.pairs.iter().all(|pair| pair.manifold.is_none());
        applies.then(|| (methods.early_substepping_work / n_bodies).max(1))
    }

    /// Newton iterations of all attempts at a step together: those of nine attempts, fewer for large islands,
    /// yet enough for a second attempt.
    pub(in crate::stepper) fn max_iterations(&self, n_bodies: usize) -> usize {
        let (attempt, island) = (self.options.iterations, MAX_BODY_ITERATIONS / n_bodies.max(1));
        island.min((MAX_FAILED_ATTEMPTS + 1) * attempt).max(2 * attempt + SPARE_ITERATIONS)
    }
}
