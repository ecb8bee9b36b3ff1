//! Steps in which islands were halved: every substep is judged as a step of a smaller scene, which holds the
//! bodies of the island and the fixed ones; the other bodies are judged over the whole step in a scene
//! without the halved islands; and at the end of the step all pairs of bodies must be apart.
//!
//! A substep is a step of its own with the time step h times its fraction, and with units of its own. Forces
//! act in every substep, impulses in the first. The distance of bodies of different islands WITHIN the step
//! is not judged: they have no common instant but its end.

use super::recorded_step::RecordedStep;
use super::separation::SmallestGap;
use super::sub_scene::SubScene;
use super::substep_chains::SubstepChains;
use super::verdict::{Verdict, is_too_deep};
use super::whole_step::WholeStep;
use signorini_kernels::math::raise;

/// Judges a step of which some islands were halved; `whole` judges the claims on all bodies.
pub fn judge_halved(whole: &mut WholeStep, step: &RecordedStep<'_>, chains: SubstepChains<'_>) -> Verdict {
    let SubstepChains { islands, owner } = chains;
    let before = step.start();
    whole.place(step, &before);
    let (checks_records, mut found) = (whole.record_faults.is_some(), Vec::new());
    let mut sum = VerdictSum::new();
    for (k, chain) in islands.iter().enumerate() {
        let mut part = SubScene::new(step, &before, |body| owner[body] == Some(k), checks_records);
        part.judge_chain(chain, |judged| sum.add(judged));
        found.append(&mut part.record_faults);
    }
    let mut rest = SubScene::new(step, &before, |body| owner[body].is_none(), checks_records);
    if rest.moves() {
        sum.add(rest.judge_whole());
        found.append(&mut rest.record_faults);
    }
    whole.record_faults.iter_mut().for_each(|faults| faults.append(&mut found));
    let mut smallest = sum.smallest;
    let energy = whole.close(step, &before, sum.created, &mut smallest);
    Verdict {
        min_gap: smallest.absolute,
        min_gap_relative: smallest.relative,
        kinetic_energy: energy.kinetic,
        potential_energy: energy.potential,
        energy_created: if energy.created > energy.rounding { energy.created } else { 0.0 },
        green: sum.verdict.green && !is_too_deep(step.scene, &smallest),
        ..sum.verdict
    }
}

/// Sum of the verdicts of the parts of a step.
struct VerdictSum {
    verdict: Verdict,
    smallest: SmallestGap,
    created: f64,
}

impl VerdictSum {
    fn new() -> Self {
        Self {
            verdict: Verdict { green: true, ..Verdict::default() },
            smallest: SmallestGap::NONE,
            created: 0.0,
        }
    }

    fn add(&mut self, (verdict, created): (Verdict, f64)) {
        let sum = &mut self.verdict;
        raise(&mut sum.momentum, verdict.momentum);
        raise(&mut sum.complementarity, verdict.complementarity);
        raise(&mut sum.friction, verdict.friction);
        raise(&mut sum.joint_error, verdict.joint_error);
        sum.green &= verdict.green;
        self.smallest.add(verdict.min_gap, f64::INFINITY);
        if verdict.min_gap_relative.is_nan() || verdict.min_gap_relative < self.smallest.relative {
            self.smallest.relative = verdict.min_gap_relative;
        }
        self.created += created;
    }
}
