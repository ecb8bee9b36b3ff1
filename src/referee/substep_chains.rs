//! The substeps of a step, as one chain for each island that was halved.

use super::recorded_step::RecordedStep;
use crate::step::{BodyState, ContactRecord, Span, StepPhase, Substep};

/// Chains of substeps, and the chain of each body.
#[derive(Debug)]
pub struct SubstepChains<'a> {
    /// The substeps of each island, one after another.
    pub islands: Vec<Vec<&'a Substep>>,
    /// Index of the island of each body; None for the bodies that were solved in one piece.
    pub owner: Vec<Option<usize>>,
}

impl<'a> SubstepChains<'a> {
    /// Returns the substeps by island, if those of each follow each other from 0 to 1 with the same bodies,
    /// no body is in two islands, the last ones end where the step does, and every contact is of an existing
    /// substep.
    pub fn of(step: &RecordedStep<'a>) -> Option<Self> {
        let n = step.scene.bodies.len();
        let mut islands: Vec<Vec<&Substep>> = Vec::new();
        let mut owner = vec![None; n];
        for substep in step.substeps {
            match islands.last_mut() {
                Some(chain) if chain.last().is_some_and(|last| follows(substep, last)) => chain.push(substep),
                _ => {
                    let moving = |body: usize| body < n && !step.scene.bodies[body].fixed;
                    if substep.span.start != 0.0 || substep.bodies.is_empty() {
                        return None;
                    }
                    for state in &substep.bodies {
                        if !moving(state.body) || owner[state.body].replace(islands.len()).is_some() {
                            return None;
                        }
                    }
                    islands.push(vec![substep]);
                }
            }
            let is_impact = substep.span.is_impact() && substep.span.start > 0.0;
            if !((substep.span.length() > 0.0 || is_impact) && substep.span.end <= 1.0) {
                return None;
            }
        }
        let chains = Self { islands, owner };
        let is_triple = |three: &[&Substep]| three.iter().all(|substep| substep.span.is_impact());
        if chains.islands.iter().any(|chain| chain.windows(3).any(is_triple)) {
            return None;
        }
        (chains.end_with(step) && step.contacts.iter().all(|c| chains.holds(step, c))).then_some(chains)
    }

    /// Whether no island was halved: each was taken through its step and an impact, in one part or two.
    pub fn are_whole(&self) -> bool {
        let is_one = |chain: &Vec<&Substep>| {
            chain.len() > 1 && chain[0].span == Span::WHOLE && chain[1..].iter().all(|s| s.span.is_impact())
        };
        self.islands.iter().all(is_one)
    }

    /// Whether every chain ends at the end of the step, in its last state.
    fn end_with(&self, step: &RecordedStep<'_>) -> bool {
        let same =
            |s: &BodyState| s.pose == step.after.poses[s.body] && s.velocity == step.after.velocities[s.body];
        let ends = |chain: &Vec<&Substep>| {
            let last = chain[chain.len() - 1];
            last.span.end == 1.0 && last.bodies.iter().all(same)
        };
        self.islands.iter().all(ends)
    }

    /// Whether a contact is one of its bodies' island, or of none, in an existing part of the step.
    fn holds(&self, step: &RecordedStep<'_>, contact: &ContactRecord) -> bool {
        let bodies = [contact.body_a, contact.body_b];
        if bodies.iter().any(|body| *body >= self.owner.len()) {
            return false;
        }
        let moving = bodies.into_iter().filter(|body| !step.scene.bodies[*body].fixed);
        let mut owners = moving.map(|body| self.owner[body]);
        let first = owners.next().flatten();
        let has = |k: usize, span: Span| self.islands[k].iter().any(|substep| substep.span == span);
        let impacts = |k: usize| {
            let at = contact.span.impact();
            self.islands[k].iter().filter(|substep| substep.span == at).count()
        };
        let has_phase = |k: usize| match (contact.span.is_impact(), impacts(k), contact.phase) {
            (true, 1, phase) => phase == StepPhase::Impact,
            (true, 2, phase) => matches!(phase, StepPhase::Compression | StepPhase::Expansion),
            (true, ..) => false,
            (false, 0, phase) => phase == StepPhase::Whole,
            (false, _, phase) => phase == StepPhase::Position,
        };
        let is_one = |k: usize| has(k, contact.span) && has_phase(k);
        let is_whole = contact.span == Span::WHOLE && contact.phase == StepPhase::Whole;
        owners.all(|other| other == first) && first.map_or(is_whole, is_one)
    }
}

fn follows(substep: &Substep, last: &Substep) -> bool {
    last.span.end == substep.span.start
        && last.bodies.iter().map(|s| s.body).eq(substep.bodies.iter().map(|s| s.body))
}
