//! The step of an island on one page: stages in order, each with the condition on which it ends the step.
//!
//! A step is attempted in one piece; an attempt that fails is redone in substeps, which are attempted alike.
//! Stages of an attempt are in `solve`, the sequence of substeps in `substeps`, the check of energy in
//! `energy`.

use crate::stepper::impact::Impact;
use crate::stepper::island::Island;
use crate::stepper::island::solve::{
    Attempt, Outcome, balance_momentum, fly, keep_rest, refine, refine_again, solve, sweep,
};
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::island::substeps::redo_in_substeps;
use crate::stepper::parameters::{MAX_DAMPINGS, MAX_EXTENSIONS};
use crate::stepper::step_context::StepContext;
use signorini_ncp::solver::{Info, SolveOptions};
use std::time::Instant;

/// Stage of a step.
type Stage = fn(&mut Step<'_>) -> Outcome;

/// Order of a step by implicit Euler.
const IMPLICIT: [Stage; 4] = [
    // In one piece: `START`, then `SOLVE`.
    attempt,
    // Energy check of a solution. Where it fails, or the attempt did, both halves of the step, each again in
    // halves. Ends the step, unless a substep ends worse than the attempt did: then the attempt stays.
    substep,
    // An iterate that is no solution is slowed down to the energy that its loads can bring.
    limit_kinetic_energy,
    // Impulses go to the next step; an impact at the end of a solution changes its velocities. Ends the step.
    find_impact,
];

/// Order of a step by the staggered integrator.
const STAGGERED: [Stage; 5] = [
    // In one piece: `START`, then `SOLVE`.
    attempt_staggered,
    // Again with implicit Euler for bodies that an impact met, and without slip that friction would drive on.
    damp_impacts,
    // Again, if it is not solved, without any slip of the last step.
    drop_last_slip,
    // Ends the step, unless shorter steps may be solved.
    finish_staggered,
    // Halves by implicit Euler, each again in halves. Ends the step.
    substep_by_euler,
];

/// Stage of an attempt.
type AttemptStage = fn(&mut Attempt<'_>) -> Outcome;

/// Order of an attempt from the impulses of the last step. An attempt that goes on goes on with `SOLVE`.
const START: [AttemptStage; 4] = [
    // Ends the attempt where an island at rest stays at rest.
    keep_rest,
    // Ends the attempt in large islands at rough tolerances, which the solver sweeps.
    sweep,
    // Velocities that balance the impulses.
    balance_momentum,
    // Ends the attempt of a body that nothing touches: these are its velocities.
    fly,
];

/// Order of the solves of an attempt; a small island is polished after them.
const SOLVE: [AttemptStage; 3] = [
    // Below the tolerance, in few iterations. Ends the attempt unless it is stuck or out of iterations.
    refine,
    // To the tolerance.
    solve,
    // Below the tolerance from there. A stuck attempt may meet the tolerance on that way.
    refine_again,
];

/// Order of an attempt with a method of one's own: only the residual says what it did.
const OWN: [AttemptStage; 3] = [balance_momentum, fly, solve];

/// Runs the stages of an attempt in order until one ends the list.
fn run_stages(stages: &[AttemptStage], attempt: &mut Attempt<'_>) -> Outcome {
    let ends = stages.iter().any(|stage| stage(attempt) == Outcome::Done);
    if ends { Outcome::Done } else { Outcome::Next }
}

/// An island in its step.
struct Step<'a> {
    island: &'a mut Island,
    context: &'a StepContext<'a>,
    policy: &'a SubstepPolicy<'a>,
}

/// Solves an island's step, in substeps if it must be, from the impulses that its pairs hold. Afterwards the
/// pairs hold those of this step.
pub(in crate::stepper) fn solve_island(
    island: &mut Island,
    context: &StepContext<'_>,
    policy: &SubstepPolicy<'_>,
) {
    island.substep_records.clear();
    island.solved.clear();
    island.impact = None;
    island.turned_joint = None;
    let stages = if context.last_step.is_some() { &STAGGERED[..] } else { &IMPLICIT };
    let mut step = Step { island, context, policy };
    for stage in stages {
        if stage(&mut step) == Outcome::Done {
            break;
        }
    }
}

impl Island {
    /// Attempts the step or substep of a context in one piece. Where contact points turn up without reserved
    /// rows, the attempt goes on from its iterate with more rows.
    pub(in crate::stepper) fn attempt(
        &mut self,
        context: &StepContext<'_>,
        policy: &SubstepPolicy<'_>,
        options: &SolveOptions,
    ) {
        let start = Instant::now();
        self.info = Info::default();
        self.flat.is_solution = false;
        if !self.attempt_structure(context, policy, options) {
            self.attempt_in_rounds(context, policy, options);
        }
        self.refuse_turns(context);
        let times = &mut self.info.times;
        times.geometry = self.problem.geometry_seconds;
        let known = times.geometry + times.assembly + times.factor;
        times.solve = (start.elapsed().as_secs_f64() - known).max(0.0);
    }

    /// Attempts a step or substep in flat arrays, or in rows: more of them where they turn out to be too few.
    fn attempt_in_rounds(
        &mut self,
        context: &StepContext<'_>,
        policy: &SubstepPolicy<'_>,
        options: &SolveOptions,
    ) {
        for _ in 0..MAX_EXTENSIONS {
            // Large islands in flat arrays, without rows. Ends the attempt, solved or to be halved.
            if context.own.is_none() && self.attempt_flat(context, policy, options) == Outcome::Done {
                break;
            }
            if self.attempt_in_rows(context, policy, options) == Outcome::Done {
                break;
            }
        }
    }

    /// Attempts a step or substep in rows. Does not end the attempt where rows are missing.
    pub(super) fn attempt_in_rows(
        &mut self,
        context: &StepContext<'_>,
        policy: &SubstepPolicy<'_>,
        options: &SolveOptions,
    ) -> Outcome {
        self.problem.reserve_rows();
        let mut attempt = Attempt::begin(self, context, policy, *options);
        if context.own.is_some() {
            run_stages(&OWN, &mut attempt);
        } else if run_stages(&START, &mut attempt) == Outcome::Next {
            run_stages(&SOLVE, &mut attempt);
            attempt.polish();
        }
        if self.status.is_solved() || !self.problem.misses_rows() {
            return Outcome::Done;
        }
        self.store_warm_start();
        Outcome::Next
    }

    /// Finds the impact at the end of the step or substep of a context.
    pub(in crate::stepper) fn find_impact(
        &mut self,
        context: &StepContext<'_>,
        options: &SolveOptions,
    ) -> Option<Impact> {
        // A solution that stays in flat arrays strikes nothing.
        if !self.status.is_solved() || self.flat.is_solution {
            return None;
        }
        let impact = Impact::find(&mut self.problem, &self.iterate, context, options)?;
        self.info.add_work(&impact.info);
        self.info.residual = self.info.residual.larger(&impact.info.residual);
        self.status = self.status.worse(impact.status);
        Some(impact)
    }
}

fn attempt(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    let options = policy.limited(&policy.first_attempt(&island.problem, 1.0), 1.0, 0);
    island.attempt(context, policy, &options);
    Outcome::Next
}

fn substep(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    let fails_energy_check = island.status.is_solved() && island.gains_energy(context);
    let may_be_halved = policy.may_be_halved(island.status, island.info.work);
    if (fails_energy_check || may_be_halved) && policy.max_halvings > 0 {
        redo_in_substeps(island, context, policy);
    }
    if island.substep_records.is_empty() { Outcome::Next } else { Outcome::Done }
}

fn limit_kinetic_energy(Step { island, context, .. }: &mut Step<'_>) -> Outcome {
    island.limit_kinetic_energy(context);
    Outcome::Next
}

fn find_impact(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    island.store_warm_start();
    let options = policy.options_for(1.0).after_work(island.info.work);
    island.impact = island.find_impact(context, &options);
    Outcome::Done
}

fn attempt_staggered(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    island.attempt(context, policy, &policy.options_for(1.0));
    Outcome::Next
}

fn damp_impacts(step: &mut Step<'_>) -> Outcome {
    let mut rounds = 0;
    while rounds < MAX_DAMPINGS && (step.island.damp_impacts() | step.island.release_driven()) {
        attempt_again(step);
        rounds += 1;
    }
    Outcome::Next
}

fn drop_last_slip(step: &mut Step<'_>) -> Outcome {
    if !step.island.status.is_solved() && step.island.problem.drop_last_slip() {
        attempt_again(step);
    }
    Outcome::Next
}

/// Attempts the whole step once more; the work adds up.
fn attempt_again(step: &mut Step<'_>) {
    let spent = step.island.info;
    let options = step.policy.options_for(1.0).after_work(spent.work);
    step.island.attempt(step.context, step.policy, &options);
    step.island.info.add_work(&spent);
}

fn finish_staggered(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    if island.status.may_be_halved() && policy.max_halvings > 0 {
        return Outcome::Next;
    }
    island.limit_kinetic_energy(context);
    island.store_slip(context);
    island.store_warm_start();
    Outcome::Done
}

/// The substeps go on from the velocities as they are.
fn substep_by_euler(Step { island, context, policy }: &mut Step<'_>) -> Outcome {
    island.switch_to_euler();
    redo_in_substeps(island, &StepContext { last_step: None, ..**context }, policy);
    if island.substep_records.is_empty() {
        island.store_warm_start();
    }
    Outcome::Done
}
