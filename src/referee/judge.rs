//! The only entry to the referee.

use super::halved_step::judge_halved;
use super::impact_step::judge_impacts;
use super::record::RecordFault;
use super::recorded_step::RecordedStep;
use super::substep_chains::SubstepChains;
use super::verdict::Findings;
use super::verdict::{Verdict, inconsistent_record};
use super::whole_step::WholeStep;
use signorini_scene::scene::Scene;

/// The judge with its workspace. It keeps nothing of a step that a later verdict depends on.
#[derive(Debug)]
pub struct Referee {
    whole: WholeStep,
}

impl Referee {
    /// Makes a referee for steps of a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { whole: WholeStep::new(scene) }
    }

    /// Makes a referee that also compares every column of a record with the states of the step.
    pub fn of_records(scene: &Scene) -> Self {
        let mut whole = WholeStep::new(scene);
        whole.record_faults = Some(Vec::new());
        Self { whole }
    }

    /// Faults of the records of the last step, which its states contradict.
    pub fn record_faults(&self) -> &[RecordFault] {
        self.whole.record_faults.as_deref().unwrap_or_default()
    }

    /// Judges one step. Each substep of a halved island is judged like a step, with the contacts of its span.
    pub fn judge(&mut self, step: &RecordedStep<'_>) -> Verdict {
        if step.is_whole() {
            return self.whole.judge(step);
        }
        self.whole.record_faults.iter_mut().for_each(Vec::clear);
        match SubstepChains::of(step) {
            None => inconsistent_record(),
            Some(chains) if chains.are_whole() => judge_impacts(&mut self.whole, step, &chains),
            Some(chains) => judge_halved(&mut self.whole, step, chains),
        }
    }

    /// Returns the parts behind the last verdict; of a halved step only scales and energy.
    pub fn findings(&self) -> &Findings {
        &self.whole.findings
    }
}
