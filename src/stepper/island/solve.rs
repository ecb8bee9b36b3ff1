//! Stages of an attempt: solves of a step or substep of an island in one piece. [`super::step`] lists their
//! order.

use crate::stepper::blocks::path_speed;
use crate::stepper::island::Island;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::parameters::{POLISH_ITERATIONS, SWEEP_ABOVE_SPEED, SWEEP_SMOOTH_ABOVE_SPEED};
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::BodyUnit;
use signorini_ncp::problem::contact_problem::body_vector;
use signorini_ncp::solver::StepProblem;
use signorini_ncp::solver::parameters::proximal::{AT_REST_BELOW_RESIDUAL, AT_REST_TOLERANCE};
use signorini_ncp::solver::{RefinementTarget, Residual, SolveOptions, SolveStatus, is_swept};

/// End of one stage of an attempt or a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::stepper) enum Outcome {
    /// The next stage of the list goes on from the iterate.
    Next,
    /// The list ends.
    Done,
}

/// An island in an attempt at a step or substep.
pub(in crate::stepper) struct Attempt<'a> {
    island: &'a mut Island,
    context: &'a StepContext<'a>,
    options: SolveOptions,
    /// Residual at the iterate that the attempt starts from.
    start: Residual,
    /// Part of the tolerance up to which the residual at rest leaves all bodies where they are; 0: they are
    /// too fast.
    rest: f64,
    /// Whether all bodies are nearly at rest: m·path_speed is at most [`AT_REST_BELOW_RESIDUAL`] of the
    /// impulse that acts in the step.
    is_slow: bool,
    /// Whether the island is so small that more iterations cost next to nothing.
    is_small: bool,
    /// Whether the solver sweeps the island.
    is_swept: bool,
    has_manifolds: bool,
    /// Target of the solves below the tolerance.
    refinement: RefinementTarget,
    /// Target residual of the polish of a small island.
    polish: f64,
}

impl<'a> Attempt<'a> {
    /// Sets up the problem of an island, and loads the impulses of the last step.
    pub fn begin(
        island: &'a mut Island,
        context: &'a StepContext<'a>,
        policy: &SubstepPolicy<'_>,
        options: SolveOptions,
    ) -> Self {
        island.problem.set_up(context, policy.local_of);
        let is_small = island.problem.bodies.len() <= options.methods.small_island;
        let is_slow = island.is_slow(context, AT_REST_BELOW_RESIDUAL);
        let has_manifolds = island.problem.problem.has_manifolds();
        let speed =
            if has_manifolds { SWEEP_ABOVE_SPEED } else { SWEEP_SMOOTH_ABOVE_SPEED * options.tolerance };
        let comes_to_rest = is_slow || island.flat.is_structure || island.is_slow(context, speed);
        let is_swept = !comes_to_rest && context.own.is_none() && is_swept(&island.problem.problem, &options);
        let (may_rest, rest) = match island.flat.is_structure {
            true => island.structure_rest(context, options.tolerance),
            false => (is_slow, AT_REST_TOLERANCE),
        };
        let start = island.load_warm_start(context, may_rest);
        let refinement = match (is_small, is_slow) {
            (true, _) => RefinementTarget::SMALL_ISLAND,
            (false, true) => RefinementTarget::AT_REST,
            (false, false) => RefinementTarget::MOVING,
        };
        let polish = policy.settings.polish;
        Self {
            island,
            context,
            options,
            start,
            rest: if may_rest { rest } else { 0.0 },
            is_slow,
            is_small,
            is_swept,
            has_manifolds,
            refinement,
            polish,
        }
    }

    /// The larger of a residual and the error that rounding leaves.
    fn reachable(&self, residual: f64) -> f64 {
        residual.max(self.island.problem.units.rounding() * self.options.tolerance)
    }

    /// Residual below the tolerance that a refinement can reach at the impulses of the iterate; None where
    /// rounding leaves no less than the tolerance.
    fn refined_residual(&self) -> Option<f64> {
        Some(self.reachable(self.refinement.residual)).filter(|residual| *residual < self.options.tolerance)
    }

    /// Whether the last solve ended without a solution, and another may find one.
    fn is_open(&self) -> bool {
        matches!(
            self.island.status,
            SolveStatus::MaxIterations | SolveStatus::Stalled | SolveStatus::FactorizationFailed
        )
    }

    /// Solves from the iterate, at which the problem is linearised already if its residual is given.
    fn call_solver(&mut self, options: &SolveOptions, known: Option<Residual>) -> SolveStatus {
        let Island { problem, solver, iterate, info, .. } = &mut *self.island;
        let mut problem = IslandStepProblem { island: problem, context: self.context };
        solver.use_own(self.context.own.cloned());
        match known {
            Some(residual) => solver.solve_linearized(&mut problem, iterate, residual, options, info),
            None => solver.solve(&mut problem, iterate, options, info),
        }
    }

    /// Solves to less than the tolerance; an iterate within the tolerance at the end counts as solved.
    fn solve_below_tolerance(&mut self, options: &SolveOptions) {
        let tolerance = self.options.tolerance;
        self.island.problem.target_residual = options.tolerance;
        self.island.status = self.call_solver(options, None);
        self.island.problem.target_residual = tolerance;
        if self.is_open() {
            let Island { problem, iterate, info, .. } = &mut *self.island;
            let mut problem = IslandStepProblem { island: problem, context: self.context };
            info.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            if !info.residual.exceeds(tolerance) {
                self.island.status = SolveStatus::Solved;
            }
        }
    }

    /// Polishes the solution of a small island if that takes few iterations.
    pub fn polish(&mut self) {
        if !self.is_small {
            return;
        }
        let info = &self.island.info;
        let left = POLISH_ITERATIONS.saturating_sub(info.iterations);
        let target = self.reachable(self.polish);
        if self.island.status == SolveStatus::Solved && left > 0 && info.residual.max() > target {
            let options = self.options.polish(target, info.iterations, left);
            let status = self.call_solver(&options, None);
            // Contact points that were excluded on the way may leave a larger residual than before.
            if self.island.info.residual.exceeds(self.options.tolerance) {
                self.island.status = status;
            }
        }
    }
}

/// Keeps an island at rest in place, to the last bit, so that the next step finds it there: a residual of
/// rounding is no motion.
pub(super) fn keep_rest(attempt: &mut Attempt<'_>) -> Outcome {
    let limit = attempt.rest.max(attempt.island.problem.units.rounding()) * attempt.options.tolerance;
    if attempt.rest > 0.0 && attempt.start.max() <= limit {
        (attempt.island.status, attempt.island.info.residual) = (SolveStatus::Solved, attempt.start);
        return Outcome::Done;
    }
    Outcome::Next
}

/// Solves an island that the solver sweeps, from the velocities of the last step: they are as good as the
/// velocities that would balance the impulses, and the geometry at them is known.
pub(super) fn sweep(attempt: &mut Attempt<'_>) -> Outcome {
    if !attempt.is_swept {
        return Outcome::Next;
    }
    let options = attempt.options;
    attempt.island.status = attempt.call_solver(&options, Some(attempt.start));
    Outcome::Done
}

/// Sets velocities that balance the impulses, and the options of solves from there.
pub(super) fn balance_momentum(attempt: &mut Attempt<'_>) -> Outcome {
    attempt.island.balance(attempt.context);
    let options = &mut attempt.options;
    // A start balanced with the impulses that braked the step before moves by rounding: accepted unchanged,
    // it would keep the island from its rest.
    options.accepted_start = if attempt.is_slow { 0.0 } else { options.accepted_start };
    options.methods.solve_by_sweeps &= !attempt.has_manifolds;
    if attempt.is_small {
        *options = options.small_island();
    }
    Outcome::Next
}

/// Ends the attempt where there is nothing to solve.
pub(super) fn fly(attempt: &mut Attempt<'_>) -> Outcome {
    let IslandProblem { pairs, joint_memory, .. } = &attempt.island.problem;
    if !(pairs.is_empty() && joint_memory.is_empty() && attempt.context.flies()) {
        return Outcome::Next;
    }
    (attempt.island.status, attempt.island.info.residual) = (SolveStatus::Solved, Residual::default());
    Outcome::Done
}

/// Solves to less than the tolerance if that takes few iterations: the error of a rough tolerance keeps
/// bodies moving that could rest, and contact points apart that should carry load together in the next step.
pub(super) fn refine(attempt: &mut Attempt<'_>) -> Outcome {
    let Some(residual) = attempt.refined_residual() else { return Outcome::Next };
    attempt
        .solve_below_tolerance(&attempt.options.refine(RefinementTarget { residual, ..attempt.refinement }));
    if attempt.is_open() { Outcome::Next } else { Outcome::Done }
}

/// Solves to the tolerance with the iterations that are left.
pub(super) fn solve(attempt: &mut Attempt<'_>) -> Outcome {
    let options = attempt.options.after(attempt.island.info.iterations);
    attempt.island.status = attempt.call_solver(&options, None);
    Outcome::Next
}

/// Solves to less than the tolerance with the impulses of the last solve: only impulses show how much error
/// rounding leaves. Where not even the tolerance is met, contact points that push along other normals than
/// the rest steady this iteration for longer.
pub(super) fn refine_again(attempt: &mut Attempt<'_>) -> Outcome {
    let Some(residual) = attempt.refined_residual() else { return Outcome::Done };
    let options = attempt.options;
    if attempt.is_open() {
        let left = options.after(attempt.island.info.iterations);
        attempt.solve_below_tolerance(&SolveOptions { tolerance: residual, ..left });
    } else if attempt.island.status.is_solved() && attempt.refinement.repeats {
        attempt.solve_below_tolerance(&options.refine(RefinementTarget { residual, ..attempt.refinement }));
    }
    Outcome::Done
}

impl Island {
    /// Sets velocities that balance the impulses. Light bodies between joints keep theirs: the small momentum
    /// that the impulses leave unbalanced would make them gain energy.
    fn balance(&mut self, context: &StepContext<'_>) {
        let Self { problem, iterate, momentum, .. } = self;
        let light = |id: &usize| context.models.bodies[*id].effective_mass_ratio > 1.0;
        let places = (0..problem.bodies.len()).filter(|local| light(&problem.bodies[*local]));
        let kept: Vec<(usize, Vec<f64>)> =
            places.map(|local| (BLOCK * local, body_vector(&iterate.velocity, local).to_vec())).collect();
        problem.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
        for (first, velocity) in kept {
            iterate.velocity[first..first + BLOCK].copy_from_slice(&velocity);
        }
    }

    /// Whether m·path_speed of every body is at most this multiple of the impulse that acts on it in the
    /// step.
    pub(super) fn is_slow(&self, context: &StepContext<'_>, below: f64) -> bool {
        let units = &self.problem.problem.at.units.bodies;
        let slow = |(id, unit): (&usize, &BodyUnit)| {
            let model = &context.models.bodies[*id];
            model.mass * path_speed(model, &context.velocities[*id]) <= below * unit.momentum
        };
        self.problem.bodies.iter().zip(units).all(slow)
    }
}
