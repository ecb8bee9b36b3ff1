//! The recursion over halves.

use crate::solver::{Info, Phase, Residual, Run, SolveStatus};
use crate::step::Span;
use crate::stepper::halving::path::Path;
use crate::stepper::island::settings::Halving;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;

/// Attempts of a step, the whole one included, that may fail before nothing is halved any more: each may take
/// all the iterations that a step is allowed.
const MOST_FAILURES: usize = 8;
/// Iterations of all attempts together times bodies.
const ISLAND_ITERATIONS: usize = 250_000;
/// Iterations of all attempts together beyond those of two.
const SPARE_ITERATIONS: usize = 1000;

/// Newton iterations of all attempts together: those of nine attempts, fewer where each is dear, yet enough
/// for a second one.
fn most_iterations(run: &Run, n_bodies: usize) -> usize {
    let (attempt, island) = (run.iterations, ISLAND_ITERATIONS / n_bodies.max(1));
    island.min((MOST_FAILURES + 1) * attempt).max(2 * attempt + SPARE_ITERATIONS)
}

/// Redoes the step of an island whose solve ended above the tolerance. Where a substep fails that is not
/// halved, its best iterate is taken if it is better than that of the whole step, which otherwise stays.
pub fn halve(island: &mut Island, whole: &StepContext<'_>, with: &Halving<'_>) {
    let first = (island.problem.pairs.clone(), island.iterate.clone());
    let (first_status, first_info) = (island.status, island.info);
    let mut path = Path::new(island, whole);
    let mut account = Info { residual: Residual::default(), phase: Phase::Halving, ..first_info };
    let (mut status, mut failures) = (SolveStatus::SolvedByHalving, 1);
    let [early, late] = Span::WHOLE.halves();
    let mut waiting = vec![late, early];
    while let Some(span) = waiting.pop() {
        path.solve(island, whole, span, with, &mut account);
        let residual = island.info.residual;
        if !island.status.is_solved() {
            failures += 1;
            let is_spent = account.iterations >= most_iterations(with.run, island.problem.bodies.len());
            let goes_on = failures < MOST_FAILURES && island.status.may_be_halved() && !is_spent;
            if span.length() > with.shortest() && goes_on {
                let [early, late] = span.halves();
                waiting.extend([late, early]);
                continue;
            }
            status = status.worse(island.status);
            path.tame(island, whole, span);
            if residual.exceeds(first_info.residual.max()) {
                island.halved.clear();
                path.leave(island);
                island.restore(whole, with.local_of, first);
                (island.status, island.info) =
                    (first_status, Info { residual: first_info.residual, ..account });
                return;
            }
        }
        account.residual = account.residual.larger(&residual);
        status = status.worse(path.advance(island, whole, span, with, &mut account));
    }
    path.leave(island);
    (island.status, island.info) = (status, account);
}
