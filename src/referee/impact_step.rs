//! Steps with an impact: the position phase is judged like a step, with the velocities to which it body, and
//! then the impact at its end.

use super::bodies;
use super::contact_law::{ContactFinding, judge_contact};
use super::couplings::judge_couplings;
use super::energy::Energy;
use super::flight::flies;
use super::impact::{self, CompressionEnd, EnergyLedger, PositionPhase};
use super::impact_law::{ImpactVelocities, judge_normals};
use super::joints::{JointCase, judge_joint};
use super::judged_step::JudgedStep;
use super::record::{self, RecordFault};
use super::recorded_step::RecordedStep;
use super::step_part::StepPart;
use super::substep_chains::SubstepChains;
use super::verdict::{Findings, TOLERANCES, Verdict, inconsistent_record};
use super::whole_step::{WholeStep, smallest_of};
use crate::step::{ContactRecord, JointRecord, Span, StepPhase};
use signorini_kernels::math::{larger, raise};
use signorini_scene::scene::State;

/// Judges a step of which no island was halved and some had an impact.
pub fn judge_impacts(whole: &mut WholeStep, step: &RecordedStep<'_>, chains: &SubstepChains<'_>) -> Verdict {
    if step.joints.iter().any(|joint| joint.span != Span::WHOLE && joint.span != Span::WHOLE.impact()) {
        return inconsistent_record();
    }
    let mut end_state = step.after.clone();
    for state in chains.islands.iter().flat_map(|chain| &chain[0].bodies) {
        if state.pose != end_state.poses[state.body] {
            return inconsistent_record();
        }
        end_state.velocities[state.body] = state.velocity;
    }
    // The velocities after the first part of the impacts.
    let mut halfway = step.after.clone();
    let mut is_compression = Vec::new();
    for chain in &chains.islands {
        is_compression.push(chain.len() > 2);
        for state in chain.get(1).iter().flat_map(|part| &part.bodies) {
            halfway.velocities[state.body] = state.velocity;
        }
    }
    let mut found = Vec::new();
    let [position_part, first, last] = StepPart::ALL.map(|part| PartRecords::of(step, part));
    let position = whole.judge(&position_part.step(step, &end_state));
    position_part.take_faults(whole, &mut found);
    let energy = whole.findings.energy;
    let superseded_work =
        whole.driven_work(position_part.contacts.iter().map(|c| c.phase == StepPhase::Position));
    let loaded = PositionPhase::loaded(position_part.contacts.iter());
    let phase = PositionPhase {
        end_state: &end_state,
        islands: &chains.owner,
        loaded: &loaded,
        joints: &position_part.joints,
        superseded_work,
        is_compression: &is_compression,
        compression: None,
    };
    let mut second = whole.judge_impact(&first.step(step, &halfway), &phase);
    first.take_faults(whole, &mut found);
    if is_compression.contains(&true) {
        let of_expansion = |island: &Option<usize>| island.filter(|k| is_compression[*k]);
        let islands: Vec<_> = chains.owner.iter().map(of_expansion).collect();
        let created = whole.findings.energy.created;
        let compression = CompressionEnd {
            state: halfway,
            contacts: first.contacts,
            ledgers: std::mem::take(&mut whole.ledgers),
        };
        let phase = phase.expansion(&compression, &islands);
        let third = whole.judge_impact(&last.step(step, step.after), &phase);
        last.take_faults(whole, &mut found);
        whole.findings.energy.created += created;
        second = second.worse_of(&third);
    }
    whole.record_faults.iter_mut().for_each(|faults| faults.append(&mut found));
    let created = energy.created + whole.findings.energy.created;
    whole.findings = Findings { energy: Energy { created, ..whole.findings.energy }, ..Findings::default() };
    Verdict {
        kinetic_energy: second.kinetic_energy,
        energy_created: if created > energy.rounding { created } else { 0.0 },
        ..position.worse_of(&second)
    }
}

impl Verdict {
    /// Returns the verdict with the worse values of the next phase of the step.
    fn worse_of(&self, next: &Self) -> Self {
        Self {
            momentum: larger(self.momentum, next.momentum),
            complementarity: larger(self.complementarity, next.complementarity),
            friction: larger(self.friction, next.friction),
            kinetic_energy: next.kinetic_energy,
            green: self.green && next.green,
            ..*self
        }
    }
}

/// The records of one phase, with their places among all.
struct PartRecords {
    contacts: Vec<ContactRecord>,
    of_contacts: Vec<usize>,
    joints: Vec<JointRecord>,
    of_joints: Vec<usize>,
}

impl PartRecords {
    fn of(step: &RecordedStep<'_>, part: StepPart) -> Self {
        let contacts = step.contacts.iter().enumerate().filter(|(_, contact)| part.has_contact(contact));
        let joints = step.joints.iter().enumerate().filter(|(i, _)| part.has_joint(step.joints, *i));
        let (of_contacts, contacts) = contacts.map(|(i, c)| (i, *c)).unzip();
        let (of_joints, joints) = joints.map(|(i, j)| (i, *j)).unzip();
        Self { contacts, of_contacts, joints, of_joints }
    }

    /// Returns the step with these records, up to a state.
    fn step<'a>(&'a self, step: &RecordedStep<'a>, after: &'a State) -> RecordedStep<'a> {
        RecordedStep { after, contacts: &self.contacts, joints: &self.joints, substeps: &[], ..*step }
    }

    fn take_faults(&self, whole: &mut WholeStep, found: &mut Vec<RecordFault>) {
        let faults = whole.record_faults.iter_mut().flat_map(|faults| faults.drain(..));
        found.extend(faults.map(|fault| fault.placed(&self.of_contacts, &self.of_joints)));
    }
}

impl WholeStep {
    /// Work of bodies with prescribed motion (J) at those contacts judged last that are `meant`.
    pub fn driven_work(&self, meant: impl Iterator<Item = bool>) -> f64 {
        let of =
            |(found, meant): (&ContactFinding, bool)| if meant { found.friction.driven_work } else { 0.0 };
        self.contacts.iter().zip(meant).map(of).sum()
    }

    /// Judges the impacts of islands at the end of a step: `step` is that step with the velocities after them
    /// and with their impulses, and the last step judged was its position phase.
    pub fn judge_impact(&mut self, step: &RecordedStep<'_>, phase: &PositionPhase<'_>) -> Verdict {
        let PositionPhase { end_state, superseded_work, .. } = *phase;
        self.findings = Findings::default();
        self.record_faults.iter_mut().for_each(Vec::clear);
        if !(step.has_consistent_contacts() && step.after.poses == end_state.poses && flies(step.scene)) {
            return inconsistent_record();
        }
        let before = step.before.unwrap_or(end_state);
        let (free, none) = (impact::without_impact(step, before, phase), impact::no_loads(step));
        bodies::place(&mut self.bodies, step.scene, &free, step.after);
        if phase.compression.is_none() {
            self.place_units.copy_bodies(&self.units);
        }
        self.units.measure(&self.bodies, step, before);
        let judged = JudgedStep {
            scene: step.scene,
            bodies: &self.bodies,
            before: &free,
            before_known: true,
            left: &free,
            after: step.after,
            ended: step.after,
            loads: &none,
            units: &self.units,
            place_units: &self.place_units,
        };
        self.contacts.clear();
        self.contacts.extend(step.contacts.iter().map(|contact| judge_contact(contact, &judged)));
        let findings = &mut self.findings;
        self.contacts.iter().for_each(|found| findings.add_contact(found));
        for found in step.joints.iter().map(|joint| judge_joint(joint, &judged)) {
            raise(&mut findings.joint_law, found.reaction / found.unit);
        }
        for joint in step.joints {
            let case = JointCase::new(joint, &judged);
            raise(&mut findings.joint_law, case.impact_law(phase, &self.moved.end, step.before) / case.unit);
        }
        for found in judge_couplings(&judged, step.joints, Some(&self.moved.end)) {
            raise(&mut findings.joint_law, found.law / found.unit);
        }
        if let Some(faults) = &mut self.record_faults {
            record::check(&judged, step.contacts.iter().zip(&self.contacts), &[], faults);
        }
        let residual = TOLERANCES * step.scene.solver.tolerance;
        let mut energy = Energy::of_bodies(&judged, residual);
        let mut is_lawful = true;
        if step.before.is_some() {
            let approach = impact::approaching(step, before);
            let velocities =
                ImpactVelocities { approach: &approach, to_end_poses: &self.moved.end.velocities, phase };
            let (off, ledgers) = judge_normals(step, &judged, &self.contacts, &velocities);
            raise(&mut findings.gap_law, off);
            let gaps = self.contacts.iter().map(|found| found.gap);
            let imbalance = self.balance.imbalance(&judged, step.contacts.iter().zip(gaps), step.joints);
            (findings.linear, findings.angular) = (imbalance.linear, imbalance.angular);
            self.contacts.iter().for_each(|found| energy.add_contact(found, residual));
            is_lawful = EnergyLedger::energy_gain(&ledgers) <= energy.allowed;
            self.ledgers = ledgers;
        }
        let energy_gain = Energy::kinetic_of(&judged, step.after) - Energy::kinetic_of(&judged, end_state);
        let driven: f64 = self.contacts.iter().map(|found| found.friction.driven_work).sum();
        energy.created = energy_gain - driven + superseded_work;
        findings.energy = energy;
        let smallest = smallest_of(step.contacts, &self.contacts, &self.bodies);
        findings.verdict(step.scene, smallest, is_lawful)
    }
}
