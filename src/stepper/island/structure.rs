//! Attempts of structures, which Newton's method brings to rest.

use crate::stepper::flat::is_structure;
use crate::stepper::island::Island;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::solve::Outcome;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::parameters::{
    MAX_EXTENSIONS, STRUCTURE_ITERATIONS, STRUCTURE_REST_BELOW_SPEED, STRUCTURE_REST_RESIDUAL,
    STRUCTURE_TOLERANCE,
};
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use signorini_ncp::solver::{SolveOptions, SolveStatus};
use signorini_scene::settings::SolverSettings;

impl Island {
    /// Attempts the step or substep of a structure by Newton's method, at a tolerance at which it comes to
    /// rest; an iterate within the scene's tolerance counts as solved. Returns whether the island is a
    /// structure, and is solved.
    pub(super) fn attempt_structure(
        &mut self,
        context: &StepContext<'_>,
        policy: &SubstepPolicy<'_>,
        options: &SolveOptions,
    ) -> bool {
        let IslandProblem { bodies, pairs, .. } = &self.problem;
        if context.own.is_some() || !is_structure(bodies, pairs, context) || self.if_flat(context).is_none() {
            return false;
        }
        let tolerance = context.solver.tolerance.min(STRUCTURE_TOLERANCE);
        let solver = SolverSettings { tolerance, ..context.solver.clone() };
        let fine = StepContext { solver: &solver, ..*context };
        let iterations = STRUCTURE_ITERATIONS.min(options.iterations);
        let options = SolveOptions { tolerance, iterations, restarts: 0, ..*options };
        self.flat.is_structure = true;
        for _ in 0..MAX_EXTENSIONS {
            self.recall_points(context);
            if self.attempt_in_rows(&fine, policy, &options) == Outcome::Done {
                break;
            }
        }
        self.flat.is_structure = false;
        if !self.status.is_solved() && self.info.residual.max() <= context.solver.tolerance {
            self.status = SolveStatus::Solved;
        }
        self.status.is_solved()
    }

    /// Whether the bodies of a structure may be at rest, and the part of the tolerance up to which the
    /// residual without motion leaves them where they are. Those that were at rest have the impulses that
    /// stopped them: they stay up to the tolerance.
    pub(super) fn structure_rest(&self, context: &StepContext<'_>, tolerance: f64) -> (bool, f64) {
        let rested = self.problem.bodies.iter().all(|id| context.velocities[*id] == Velocity::default());
        let rest = if rested { 1.0 } else { STRUCTURE_REST_RESIDUAL };
        (rested || self.is_slow(context, STRUCTURE_REST_BELOW_SPEED * tolerance), rest)
    }
}
