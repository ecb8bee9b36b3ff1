//! The recursion over halves.

use crate::contact::Pair;
use crate::step::Span;
use crate::stepper::halving::path::Path;
use crate::stepper::island::settings::Halving;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;
use signorini_ncp::solver::{Info, Iterate, Phase, Residual, SolveOptions, SolveStatus};

/// Failed attempts of a step, the whole one included, after which nothing is halved any more: each may take
/// all the iterations that a step is allowed. Attempts that were cut short after sweeps do not count.
const MOST_FAILURES: usize = 8;
/// Bound on the product of bodies and iterations of all attempts together.
const ISLAND_ITERATIONS: usize = 250_000;
/// Iterations of all attempts together beyond those of two attempts.
const SPARE_ITERATIONS: usize = 1000;

/// Newton iterations of all attempts together: those of nine attempts, fewer for large islands, yet enough
/// for a second attempt.
fn most_iterations(run: &SolveOptions, n_bodies: usize) -> usize {
    let (attempt, island) = (run.iterations, ISLAND_ITERATIONS / n_bodies.max(1));
    island.min((MOST_FAILURES + 1) * attempt).max(2 * attempt + SPARE_ITERATIONS)
}

/// Pairs and iterate of the whole step, and how its solve ended.
type First<'a> = (&'a (Vec<Box<Pair>>, Iterate), SolveStatus, Info);

/// Redoes the step of an island whose solve ended above the tolerance or fails the energy check. A substep
/// that fails the energy check is halved as well, unless its halves are not solved. Where a substep fails
/// that is not halved, its best iterate is taken if that is better than the one of the whole step, which
/// otherwise stays.
pub fn halve(island: &mut Island, whole: &StepContext<'_>, with: &Halving<'_>) {
    let (status, info) = (island.status, island.info);
    let first = (island.problem.pairs.clone(), island.iterate.clone());
    if walk(island, whole, with, (&first, status, info), true) {
        return;
    }
    let spent = island.info;
    let unspent = Info { residual: info.residual, phase: info.phase, ..Info::default() };
    walk(island, whole, with, (&first, status, unspent), false);
    island.info.add_work(&spent);
}

/// Walks through the substeps. Returns false where a substep is not solved after another was halved for the
/// energy check; the island is then as it was at first.
fn walk(
    island: &mut Island,
    whole: &StepContext<'_>,
    with: &Halving<'_>,
    (first, first_status, first_info): First<'_>,
    doubts: bool,
) -> bool {
    let mut path = Path::new(island, whole);
    let mut account = Info { residual: Residual::default(), phase: Phase::Halving, ..first_info };
    let (mut status, mut n_doubted) = (SolveStatus::SolvedByHalving, 0);
    let mut failures = usize::from(!with.was_brief(&island.problem, 1.0, &first_info));
    let [early, late] = Span::WHOLE.halves();
    let mut waiting = vec![late, early];
    while let Some(span) = waiting.pop() {
        path.solve(island, whole, span, with, &mut account);
        let residual = island.info.residual;
        let is_doubted = doubts && island.status.is_solved() && path.throws(island, whole, span);
        if is_doubted || !island.status.is_solved() {
            let was_brief = with.was_brief(&island.problem, span.length(), &island.info);
            failures += usize::from(is_doubted || !was_brief);
            let is_spent = account.iterations >= most_iterations(with.run, island.problem.bodies.len());
            let may_be_halved = is_doubted || island.status.may_be_halved();
            if span.length() > with.shortest() && failures < MOST_FAILURES && may_be_halved && !is_spent {
                n_doubted += usize::from(is_doubted);
                let [early, late] = span.halves();
                waiting.extend([late, early]);
                continue;
            }
        }
        if !island.status.is_solved() {
            status = status.worse(island.status);
            path.tame(island, whole, span);
            if n_doubted > 0 || residual.exceeds(first_info.residual.max()) {
                island.halved.clear();
                path.leave(island);
                island.restore(whole, with.local_of, first.clone());
                (island.status, island.info) =
                    (first_status, Info { residual: first_info.residual, ..account });
                return n_doubted == 0;
            }
        }
        account.residual = account.residual.larger(&residual);
        status = status.worse(path.advance(island, whole, span, with, &mut account));
    }
    path.leave(island);
    (island.status, island.info) = (status, account);
    true
}
