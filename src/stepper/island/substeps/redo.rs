//! The recursion over halves of a step.

use crate::contact::Pair;
use crate::step::Span;
use crate::stepper::island::Island;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::island::substeps::sequence::SubstepSequence;
use crate::stepper::parameters::MAX_FAILED_ATTEMPTS;
use crate::stepper::step_context::StepContext;
use signorini_ncp::solver::{Info, Iterate, Phase, Residual, SolveStatus};

/// Pairs and iterate of the attempt at the whole step, and how that ended.
type First<'a> = (&'a (Vec<Box<Pair>>, Iterate), SolveStatus, Info);

/// Redoes the step of an island whose attempt ended above the tolerance or fails the energy check. A substep
/// that fails the energy check is halved as well, unless its halves are not solved. Where a substep fails
/// that is not halved, its best iterate is taken if that is better than the one of the whole step, which
/// otherwise stays.
pub fn redo_in_substeps(island: &mut Island, whole: &StepContext<'_>, policy: &SubstepPolicy<'_>) {
    let (status, info) = (island.status, island.info);
    let first = (island.problem.pairs.clone(), island.iterate.clone());
    if take_substeps(island, whole, policy, (&first, status, info), true) {
        return;
    }
    let spent = island.info;
    let Info { residual, phase, .. } = info;
    let unspent = Info { residual, phase, work: spent.work, ..Info::default() };
    take_substeps(island, whole, policy, (&first, status, unspent), false);
    island.info.add_work(&Info { work: 0, ..spent });
}

/// Takes the substeps in order of time. Returns false where a substep is not solved after another was halved
/// for the energy check; the island is then as it was at first.
fn take_substeps(
    island: &mut Island,
    whole: &StepContext<'_>,
    policy: &SubstepPolicy<'_>,
    (first, first_status, first_info): First<'_>,
    checks_energy: bool,
) -> bool {
    island.pieces.clear();
    let mut sequence = SubstepSequence::new(island, whole);
    let mut account = Info { residual: Residual::default(), phase: Phase::Halving, ..first_info };
    let (mut status, mut n_failed_checks) = (SolveStatus::SolvedByHalving, 0);
    let mut failures = usize::from(!policy.was_cut_short(&island.problem, 1.0, &first_info));
    let [early, late] = Span::WHOLE.halves();
    let mut waiting = vec![late, early];
    while let Some(span) = waiting.pop() {
        sequence.solve(island, whole, span, policy, &mut account);
        let residual = island.info.residual;
        let fails_check =
            checks_energy && island.status.is_solved() && sequence.gains_energy(island, whole, span);
        if fails_check || !island.status.is_solved() {
            let was_cut_short = policy.was_cut_short(&island.problem, span.length(), &island.info);
            // A solve that is refused for its turns was a quick one.
            let was_refused = island.status == SolveStatus::TurnedTooFar;
            failures += usize::from(fails_check || !(was_cut_short || was_refused));
            let is_spent = account.iterations >= policy.max_iterations(island.problem.bodies.len());
            let may_be_halved = fails_check || policy.may_be_halved(island.status, account.work);
            let is_long = span.length() > policy.shortest();
            if is_long && failures < MAX_FAILED_ATTEMPTS && may_be_halved && !is_spent {
                n_failed_checks += usize::from(fails_check);
                let [early, late] = span.halves();
                waiting.extend([late, early]);
                continue;
            }
        }
        if !island.status.is_solved() {
            status = status.worse(island.status);
            sequence.limit_kinetic_energy(island, whole, span);
            if n_failed_checks > 0 || residual.exceeds(first_info.residual.max()) {
                island.substep_records.clear();
                sequence.restore_whole_step(island);
                island.return_to(whole, policy.local_of, first.clone());
                (island.status, island.info) =
                    (first_status, Info { residual: first_info.residual, ..account });
                return n_failed_checks == 0;
            }
        }
        account.residual = account.residual.larger(&residual);
        status = status.worse(sequence.advance(island, whole, span, policy, &mut account));
    }
    sequence.restore_whole_step(island);
    (island.status, island.info) = (status, account);
    true
}
