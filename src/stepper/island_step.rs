//! The step of an island, and the measures taken where its solve fails.
//!
//! 1. [`Island::solve_span`] solves the step in one piece: the solver with its restarts.
//! 2. The staggered integrator then damps the bodies that an impact met, and solves again.
//! 3. A step that is not solved yet is redone in two halves, each again if it must be ([`halve`]). So is a
//!    solution that fails the energy check ([`Island::is_thrown`]); it stays if the halves are not solved.
//! 4. An impact at the end is solved for its velocities ([`Island::find_impact`]).
//! 5. A failure at the shortest substep leaves the best iterate found, no faster than its loads can make it
//!    ([`Island::tame`]), with a status other than solved.

use crate::stepper::halving::halve;
use crate::stepper::island::settings::Halving;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;

/// Most solves of a step in which contacts of the staggered integrator turn out to be impacts.
const MOST_DAMPINGS: usize = 4;

/// Solves an island's step, in substeps if it must be, from the impulses its pairs remember. Afterwards the
/// pairs remember those of this step.
pub(super) fn solve_island(island: &mut Island, context: &StepContext<'_>, with: &Halving<'_>) {
    island.halved.clear();
    island.impact = None;
    if context.last_step.is_some() {
        island.solve_span(context, with, &with.run_for(1.0));
        return finish_staggered(island, context, with);
    }
    let run = with.attempt(&island.problem, 1.0);
    island.solve_span(context, with, &run);
    let is_doubted = island.status.is_solved() && island.is_thrown(context);
    if (is_doubted || island.status.may_be_halved()) && with.most_halvings > 0 {
        halve(island, context, with);
    }
    if island.halved.substeps.is_empty() {
        island.tame(context);
        island.remember();
        island.impact = island.find_impact(context, &with.run_for(1.0));
    }
}

/// Finishes the step of an island under the staggered integrator, after the first solve.
fn finish_staggered(island: &mut Island, context: &StepContext<'_>, with: &Halving<'_>) {
    let mut rounds = 0;
    while rounds < MOST_DAMPINGS && (island.damp_impacts() | island.release_driven()) {
        solve_again(island, context, with);
        rounds += 1;
    }
    if !island.status.is_solved() && island.problem.forget_last_slips() {
        solve_again(island, context, with);
    }
    if !island.status.may_be_halved() || with.most_halvings == 0 {
        island.tame(context);
        island.remember_slip(context);
        return island.remember();
    }
    // The substeps are implicit Euler's, from the velocities as they are.
    island.forget_stagger();
    halve(island, &StepContext { last_step: None, ..*context }, with);
    if island.halved.substeps.is_empty() {
        island.remember();
    }
}

/// Solves the whole step once more; the work adds up.
fn solve_again(island: &mut Island, context: &StepContext<'_>, with: &Halving<'_>) {
    let spent = island.info;
    island.solve_span(context, with, &with.run_for(1.0));
    island.info.iterations += spent.iterations;
    island.info.sweeps += spent.sweeps;
    island.info.factorizations += spent.factorizations;
    island.info.times.add(&spent.times);
}
