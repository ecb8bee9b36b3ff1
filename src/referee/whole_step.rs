//! A step in which every island was solved in one piece.

use super::balance::{Balance, pose_fault};
use super::bodies::{self, BodyInStep, parts_of};
use super::contact_law::{ContactFinding, judge_contact};
use super::couplings::judge_couplings;
use super::energy::Energy;
use super::flight::Moved;
use super::impact::EnergyLedger;
use super::joints::{JointFinding, judge_joint};
use super::judged_step::JudgedStep;
use super::record::{self, RecordFault};
use super::recorded_step::RecordedStep;
use super::separation::{PairSweep, SmallestGap, pair_key};
use super::staggered::is_staggered;
use super::turns;
use super::units::Units;
use super::verdict::{Findings, TOLERANCES, Verdict, inconsistent_record};
use crate::step::ContactRecord;
use rayon::prelude::*;
use signorini_ncp::threads;
use signorini_scene::scene::{Scene, State};
use signorini_scene::settings::Gyroscopic;

/// Contacts that a thread judges at a time.
const PORTION: usize = 16;

/// The judge of whole steps with its workspace.
#[derive(Debug)]
pub struct WholeStep {
    pub(super) bodies: Vec<BodyInStep>,
    pub(super) balance: Balance,
    sweep: PairSweep,
    pub(super) contacts: Vec<ContactFinding>,
    joints: Vec<JointFinding>,
    /// Units of the bodies.
    pub(super) units: Units,
    /// Units of the position phase of an impact.
    pub(super) place_units: Units,
    /// Start of the step as the end of the step tells it.
    pub(super) moved: Moved,
    /// Pairs without contact because a joint connects them.
    joined: Vec<u64>,
    /// Energy balance of the impacts judged last, by island.
    pub(super) ledgers: Vec<EnergyLedger>,
    /// Findings behind the last verdict.
    pub findings: Findings,
    /// Faults of the records of the last step, which its states contradict; None: records are not checked.
    pub record_faults: Option<Vec<RecordFault>>,
}

impl WholeStep {
    /// Makes a judge for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self {
            bodies: bodies::prepare(scene),
            balance: Balance::default(),
            sweep: PairSweep::default(),
            contacts: Vec::new(),
            joints: Vec::new(),
            units: Units::default(),
            place_units: Units::default(),
            moved: Moved::default(),
            joined: scene.joined_pairs().into_iter().map(|(a, b)| pair_key(a, b)).collect(),
            ledgers: Vec::new(),
            findings: Findings::default(),
            record_faults: None,
        }
    }

    /// Places the bodies at the poses of the step.
    pub fn place(&mut self, step: &RecordedStep<'_>, before: &State) {
        self.moved.follow(step.scene, step.after);
        bodies::place(&mut self.bodies, step.scene, before, step.after);
    }

    /// Judges a step.
    pub fn judge(&mut self, step: &RecordedStep<'_>) -> Verdict {
        let before = step.start();
        self.place(step, &before);
        self.findings = Findings::default();
        self.record_faults.iter_mut().for_each(Vec::clear);
        if !step.is_consistent() {
            return inconsistent_record();
        }
        let Self { bodies, balance, sweep, contacts, joints, moved, units, joined, .. } = self;
        let Self { findings, record_faults, .. } = self;
        units.measure(bodies, step, &before);
        let judged = JudgedStep {
            scene: step.scene,
            bodies,
            before: &before,
            before_known: step.before.is_some(),
            left: &moved.start,
            after: &moved.end,
            ended: step.after,
            loads: step.loads,
            units,
            place_units: units,
        };
        let all = step.contacts.par_iter().with_min_len(threads::portion(bodies.len(), PORTION));
        all.map(|contact| judge_contact(contact, &judged)).collect_into_vec(contacts);
        joints.clear();
        joints.extend(step.joints.iter().map(|joint| judge_joint(joint, &judged)));
        step.joints.iter().zip(&mut *joints).for_each(|(record, found)| turns::add(record, &judged, found));
        contacts.iter().for_each(|found| findings.add_contact(found));
        joints.iter().for_each(|found| findings.add_joint(found));
        let couplings = judge_couplings(&judged, step.joints, None);
        couplings.iter().for_each(|found| findings.add_coupling(found));
        if let Some(faults) = record_faults {
            record::check(&judged, step.contacts.iter().zip(&*contacts), step.joints, faults);
        }
        let mut smallest = smallest_of(step.contacts, contacts, bodies);
        sweep.lower((step.scene, bodies), joined, step.contacts.iter(), &mut smallest);

        let residual = TOLERANCES * step.scene.solver.tolerance;
        let mut energy = Energy::of_bodies(&judged, residual);
        let mut is_energy_lawful = turns::keep_energy(&judged, (step.contacts, joints), &energy, residual);
        if judged.before_known {
            contacts.iter().for_each(|found| energy.add_contact(found, residual));
            joints.iter().for_each(|found| energy.add_joint(found, residual));
            couplings.iter().for_each(|found| energy.add_coupling(found));
            let gaps = contacts.iter().map(|found| found.gap);
            let imbalance = balance.imbalance(&judged, step.contacts.iter().zip(gaps), step.joints);
            findings.linear = imbalance.linear;
            findings.angular = imbalance.angular;
            findings.pose = pose_fault(&judged);
            is_energy_lawful &= has_no_theorem(step.scene) || energy.created <= energy.allowed;
        }
        // Staggered velocities are those of the middle of the step: no theorem bounds their energy with the
        // place of the end.
        if !judged.before_known || is_staggered(step.scene) {
            energy.created = 0.0;
        }
        findings.energy = energy;
        findings.verdict(step.scene, smallest, is_energy_lawful)
    }

    /// Returns the energy balance of all bodies, and lowers `smallest` by the separation of all pairs, at the
    /// end of a step that was [placed](Self::place) and whose parts were judged: `created` (J) is the energy
    /// created in the parts, and `smallest` the smallest gap.
    pub fn close(
        &mut self,
        step: &RecordedStep<'_>,
        before: &State,
        created: f64,
        smallest: &mut SmallestGap,
    ) -> Energy {
        let last = step.contacts.iter().filter(|c| c.span.end == 1.0);
        self.sweep.lower((step.scene, &self.bodies), &self.joined, last, smallest);
        self.units.measure(&self.bodies, step, before);
        let judged = JudgedStep {
            scene: step.scene,
            bodies: &self.bodies,
            before,
            before_known: step.before.is_some(),
            left: &self.moved.start,
            after: &self.moved.end,
            ended: step.after,
            loads: step.loads,
            units: &self.units,
            place_units: &self.units,
        };
        let energy =
            Energy { created, ..Energy::of_bodies(&judged, TOLERANCES * step.scene.solver.tolerance) };
        self.findings = Findings { energy, ..Findings::default() };
        energy
    }
}

/// Smallest gap of the contacts, without pairs of two fixed bodies.
pub(super) fn smallest_of(
    records: &[ContactRecord],
    found: &[ContactFinding],
    bodies: &[BodyInStep],
) -> SmallestGap {
    let mut smallest = SmallestGap::NONE;
    for (contact, found) in records.iter().zip(found) {
        let (a, b) = (&bodies[contact.body_a], &bodies[contact.body_b]);
        if a.moving || b.moving {
            let [a, b] = parts_of(bodies, contact);
            smallest.add(found.gap, a.size.min(b.size));
        }
    }
    smallest
}

/// Whether the scheme may create energy beyond the bound of [`super::energy`].
fn has_no_theorem(scene: &Scene) -> bool {
    scene.solver.gyroscopic == Gyroscopic::Explicit || is_staggered(scene)
}
