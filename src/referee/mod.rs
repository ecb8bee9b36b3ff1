//! The independent judge of a step: it knows poses, velocities and impulses only.
//!
//! It shares no geometry, no matrices and no residual code with the solver: momentum is rebuilt from the
//! contact list alone ([`balance`]), gaps are separations of support planes and searches over directions
//! ([`gap`]), normals are in the cones of the gradients of the implicit surfaces at the recorded point
//! ([`cones`]), and the pairs come from a sweep of its own over all bodies ([`separation`]).

pub mod balance;
pub mod bodies;
pub mod cones;
pub mod energy;
pub mod gap;
mod halved;
pub mod joints;
pub mod law;
pub mod placed;
pub mod separation;
pub mod staggered;

use crate::math::{largest, raise};
use crate::scene::{Scene, State};
use crate::settings::Gyroscopic;
use crate::step::{ContactRecord, JointRecord, Loads, Span, Substep};
use balance::{Balance, pose_fault};
use bodies::{Judged, Scales};
use energy::Energy;
use halved::Told;
use joints::{Case, JointFinding};
use law::ContactFinding;
use nalgebra::UnitQuaternion;
use separation::{Separation, SmallestGap, pair_key};

/// A part is held to this many tolerances. The solver's quantities are recomputed here with vector norms,
/// a contact point that may differ by the gap and another choice of r_t, which moves a natural map by at
/// most max(r/r', r'/r), 1.5 when e_r = 0; one tolerance exactly would test that choice, not the solution.
const TOLERANCES: f64 = 2.0;

/// Overlap over the size of the smaller body that passes at the default tolerance and below.
const DEEPEST: f64 = 1e-8;

/// The violation of a joint over its size (m/m, or rad) that a solved step may have, as a part of the tolerance.
const JOINT_PART: f64 = 0.01;

/// What the referee found in one step. Scaled as in theory §5.4: 1e-8 means the same in every scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Verdict {
    /// Momentum balance rebuilt from the contact list, / p_ref (angular / (p_ref L)); and poses that do
    /// not follow from the velocities, as the momentum that would make up for them.
    pub momentum: f64,
    /// min(p_n, m_eff gap / h) over contacts, / p_ref; and a recorded gap, normal or ECP that the two
    /// surfaces do not have.
    pub complementarity: f64,
    /// Friction: outside the ellipsoid, or not opposite to the slip, / p_ref.
    pub friction: f64,
    /// Smallest signed distance of any pair of bodies (m), found by another route than the solver's.
    /// Infinite when no pair is nearer than a tenth of the mean size and the scene has no half-space.
    pub min_gap: f64,
    /// The same over the size of the smaller body (negative = penetration).
    pub min_gap_relative: f64,
    /// Kinetic energy at the end of the step (J).
    pub kinetic_energy: f64,
    /// Potential energy −Σ m g·c and that of springs at the end of the step (J).
    pub potential_energy: f64,
    /// Energy that appeared from nowhere: change of kinetic + potential energy minus work of the applied
    /// loads at the end velocity, if positive beyond rounding (J). See [`energy`] for when that may be.
    pub energy_created: f64,
    /// Largest momentum/complementarity/friction part relative to max(p_ref, max p).
    pub relative: f64,
    /// Largest violation of a joint over its size (m/m, or rad), limits and prescribed motions included.
    pub joint_error: f64,
    /// All claims hold: momentum, complementarity and friction to twice the tolerance, no pair deeper than
    /// the tolerance times its size (1e-8 of it at least), energy within the theorem of [`energy`], and every number finite.
    pub green: bool,
}

/// What is behind a [`Verdict`], part by part.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Findings {
    /// p_ref and L.
    pub scales: Scales,
    /// Largest normal or friction impulse (N s).
    pub max_impulse: f64,
    /// Poses off the velocities, / p_ref.
    pub pose: f64,
    /// Linear momentum rows / p_ref.
    pub linear: f64,
    /// Angular momentum rows / (p_ref L).
    pub angular: f64,
    /// |min(p_n, r_n gap/h)| / p_ref.
    pub gap_law: f64,
    /// Recorded gaps that are not the gaps, / p_ref.
    pub gap_record: f64,
    /// Recorded normals and ECPs that are not on the surfaces (rad, and of L).
    pub geometry: f64,
    /// Natural map of friction / p_ref.
    pub natural_map: f64,
    /// Friction out of the contact plane, torsion where there is none, / p_ref.
    pub misplaced: f64,
    /// Largest u·w + μ p_n |w| (W s): dissipation that the law demands and the record lacks.
    pub lost_dissipation: f64,
    /// Joints that do not hold, as momentum, / p_ref.
    pub joint_position: f64,
    /// Reactions that a joint cannot bear, motors and limits off their laws, / p_ref.
    pub joint_law: f64,
    /// Largest violation of a joint over its size.
    pub joint_error: f64,
    /// The energy books.
    pub energy: Energy,
}

/// The judge with its workspace.
#[derive(Debug)]
pub struct Referee {
    bodies: Vec<Judged>,
    balance: Balance,
    separation: Separation,
    contacts: Vec<ContactFinding>,
    joints: Vec<JointFinding>,
    /// Pairs without contact because a joint connects them.
    joined: Vec<u64>,
    findings: Findings,
}

impl Referee {
    /// A referee for a scene.
    pub fn new(scene: &Scene) -> Self {
        Self {
            bodies: bodies::prepare(scene),
            balance: Balance::default(),
            separation: Separation::default(),
            contacts: Vec::new(),
            joints: Vec::new(),
            joined: scene.joined_pairs().into_iter().map(|(a, b)| pair_key(a, b)).collect(),
            findings: Findings::default(),
        }
    }

    /// Judges one step from the states before and after, the loads and the reported contacts.
    #[cfg(feature = "internals")]
    pub fn judge(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
    ) -> Verdict {
        self.judge_halved(scene, before, after, loads, contacts, &[], &[])
    }

    /// The same for a step of which some islands were solved in `substeps`: those of an island one after another. Each is
    /// judged like a step, with the contacts of its span.
    pub fn judge_halved(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
        joints: &[JointRecord],
        substeps: &[Substep],
    ) -> Verdict {
        if substeps.is_empty() && is_whole(contacts, joints) {
            return self.judge_scaled(scene, before, after, loads, contacts, joints, None);
        }
        self.judge_parts(scene, Told { before, after, loads, contacts, joints, substeps, start_known: true })
    }

    /// `scales` are those of the step unless given.
    fn judge_scaled(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
        joints: &[JointRecord],
        scales: Option<Scales>,
    ) -> Verdict {
        let h = scene.time_step;
        bodies::place(&mut self.bodies, scene, before, after);
        let scales = scales.unwrap_or_else(|| bodies::scales(&self.bodies, before, loads, h));
        self.findings = Findings { scales, ..Default::default() };
        let Some(smallest) = self.judge_end(scene, before, after, contacts) else {
            return inconsistent_record();
        };

        let findings = &mut self.findings;
        self.balance.start(&self.bodies, scene, before, after, loads);
        self.balance.take_springs(scene, after);
        let tolerance = tolerance(scene, contacts, &scales);
        let residual = TOLERANCES * tolerance;
        let mut energy = Energy::of_bodies(scene, &self.bodies, before, after, loads, &scales, residual);
        for (contact, finding) in contacts.iter().zip(&self.contacts) {
            self.balance.take(contact, before, after, finding.gap);
            energy.take(finding, &scales, residual);
        }
        let case = Case {
            scene,
            bodies: &self.bodies,
            states: [before, after],
            start_known: true,
            scales: &scales,
            end_time: loads.end_time,
            loaded_time: staggered::loaded_time(scene, loads),
        };
        if !judge_joints(&case, joints, &mut self.joints, findings) {
            return inconsistent_record();
        }
        for (joint, found) in joints.iter().zip(&self.joints) {
            self.balance.take_joint(joint, &scene.joints[joint.joint], case.acting(joint));
            energy.take_joint(found, &scales, residual);
        }
        let imbalance = self.balance.imbalance(&self.bodies, &scales);
        findings.linear = imbalance.linear;
        findings.angular = imbalance.angular;
        findings.pose = pose_fault(&self.bodies, before, after, loads, h) / scales.impulse;
        findings.energy = energy;
        // Its velocities are those of the middle of the step: no theorem bounds their energy with the place of the end.
        if staggered::is_staggered(scene) {
            findings.energy.created = 0.0;
        }
        let lawful = scene.solver.gyroscopic == Gyroscopic::Explicit
            || staggered::is_staggered(scene)
            || energy.created <= energy.allowed;
        findings.verdict(scene, tolerance, smallest, lawful)
    }

    /// Judges what can be judged from one recorded state without the one before it: complementarity,
    /// friction, separation. The start pose, which the inertia tensor needs, is stepped back from the end.
    #[cfg(feature = "internals")]
    pub fn judge_snapshot(
        &mut self,
        scene: &Scene,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
    ) -> Verdict {
        self.judge_snapshot_halved(scene, after, loads, contacts, &[], &[])
    }

    /// The same for a step of which some islands were solved in `substeps`: all but the first of an island are judged
    /// in full.
    pub fn judge_snapshot_halved(
        &mut self,
        scene: &Scene,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
        joints: &[JointRecord],
        substeps: &[Substep],
    ) -> Verdict {
        if substeps.is_empty() && is_whole(contacts, joints) {
            return self.judge_snapshot_scaled(scene, after, loads, contacts, joints, None);
        }
        let before = stepped_back(after, scene.time_step);
        let before = &before;
        self.judge_parts(scene, Told { before, after, loads, contacts, joints, substeps, start_known: false })
    }

    fn judge_snapshot_scaled(
        &mut self,
        scene: &Scene,
        after: &State,
        loads: &Loads,
        contacts: &[ContactRecord],
        joints: &[JointRecord],
        scales: Option<Scales>,
    ) -> Verdict {
        let h = scene.time_step;
        let before = stepped_back(after, h);
        bodies::place(&mut self.bodies, scene, &before, after);
        let scales = scales.unwrap_or_else(|| bodies::scales(&self.bodies, &before, loads, h));
        self.findings = Findings { scales, ..Default::default() };
        let Some(smallest) = self.judge_end(scene, &before, after, contacts) else {
            return inconsistent_record();
        };
        let tolerance = tolerance(scene, contacts, &scales);
        let residual = TOLERANCES * tolerance;
        let mut energy = Energy::of_bodies(scene, &self.bodies, &before, after, loads, &scales, residual);
        energy.created = 0.0;
        let case = Case {
            scene,
            bodies: &self.bodies,
            states: [&before, after],
            start_known: false,
            scales: &scales,
            end_time: loads.end_time,
            loaded_time: staggered::loaded_time(scene, loads),
        };
        if !judge_joints(&case, joints, &mut self.joints, &mut self.findings) {
            return inconsistent_record();
        }
        self.findings.energy = energy;
        self.findings.verdict(scene, tolerance, smallest, true)
    }

    /// The parts behind the last verdict; of a halved step only scales and energy.
    #[cfg(feature = "internals")]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Contact law and separation at the end of the step. None when a contact names no pair of the scene.
    fn judge_end(
        &mut self,
        scene: &Scene,
        before: &State,
        after: &State,
        contacts: &[ContactRecord],
    ) -> Option<SmallestGap> {
        let n = self.bodies.len();
        if contacts.iter().any(|c| c.body_a >= n || c.body_b >= n || c.body_a == c.body_b) {
            return None;
        }
        let findings = &mut self.findings;
        let scales = findings.scales;
        let mut smallest = SmallestGap::NONE;
        self.contacts.clear();
        self.separation.listed.clear();
        self.separation.listed.extend_from_slice(&self.joined);
        for contact in contacts {
            let found = law::judge_contact(contact, scene, &self.bodies, [before, after], &scales);
            let (a, b) = (&self.bodies[contact.body_a], &self.bodies[contact.body_b]);
            if a.moving || b.moving {
                smallest.see(found.gap, a.size.min(b.size));
            }
            raise(&mut findings.max_impulse, contact.normal_impulse.abs());
            raise(&mut findings.max_impulse, contact.friction_impulse.norm());
            raise(&mut findings.gap_law, found.complementarity / scales.impulse);
            raise(&mut findings.gap_record, found.gap_record / scales.impulse);
            raise(&mut findings.geometry, found.geometry);
            raise(&mut findings.natural_map, found.natural_map / scales.impulse);
            raise(&mut findings.misplaced, found.misplaced / scales.impulse);
            raise(&mut findings.lost_dissipation, found.lost_dissipation);
            self.contacts.push(found);
            self.separation.listed.push(pair_key(contact.body_a, contact.body_b));
        }
        self.separation.sweep(&self.bodies, &mut smallest);
        Some(smallest)
    }
}

impl Findings {
    fn verdict(&self, scene: &Scene, tolerance: f64, smallest: SmallestGap, lawful_energy: bool) -> Verdict {
        let momentum = largest([self.pose, self.linear, self.angular]);
        let complementarity =
            largest([self.gap_law, self.gap_record, self.geometry, self.joint_position, self.joint_law]);
        let friction = largest([self.natural_map, self.misplaced]);
        let all = largest([momentum, complementarity, friction]);
        let p_ref = self.scales.impulse;
        let energy = &self.energy;
        let finite = all.is_finite() && energy.kinetic.is_finite() && energy.potential.is_finite();
        Verdict {
            momentum,
            complementarity,
            friction,
            min_gap: smallest.absolute,
            min_gap_relative: smallest.relative,
            kinetic_energy: energy.kinetic,
            potential_energy: energy.potential,
            energy_created: if energy.created > energy.rounding { energy.created } else { 0.0 },
            relative: all * p_ref / p_ref.max(self.max_impulse),
            joint_error: self.joint_error,
            green: finite
                && lawful_energy
                && all <= TOLERANCES * tolerance
                && !is_too_deep(scene, &smallest)
                && self.joint_error <= TOLERANCES * JOINT_PART * tolerance.max(DEEPEST),
        }
    }
}

/// Whether bodies overlap by more than the scene lets pass: whoever asks for rougher steps gets rougher contacts.
fn is_too_deep(scene: &Scene, smallest: &SmallestGap) -> bool {
    smallest.relative.is_nan() || smallest.relative < -scene.solver.tolerance.max(DEEPEST)
}

/// What the scene asks of a step with these impulses, in units of p_ref.
fn tolerance(scene: &Scene, contacts: &[ContactRecord], scales: &Scales) -> f64 {
    let largest = contacts.iter().map(|c| c.normal_impulse).fold(0.0, f64::max);
    scene.solver.tolerance_at(largest, scales.impulse)
}

fn is_whole(contacts: &[ContactRecord], joints: &[JointRecord]) -> bool {
    let mut spans = contacts.iter().map(|c| c.span).chain(joints.iter().map(|j| j.span));
    spans.all(|span| span == Span::WHOLE)
}

/// Judges all joints. False when the records are not one for each joint of the scene.
fn judge_joints(
    case: &Case<'_>,
    joints: &[JointRecord],
    found: &mut Vec<JointFinding>,
    findings: &mut Findings,
) -> bool {
    found.clear();
    if !joints.iter().map(|j| j.joint).eq(0..case.scene.joints.len()) {
        return false;
    }
    let unit = findings.scales.impulse;
    for record in joints {
        let finding = case.judge(record);
        raise(&mut findings.max_impulse, record.force.norm());
        raise(&mut findings.joint_position, finding.position / unit);
        raise(&mut findings.joint_law, finding.reaction / unit);
        raise(&mut findings.joint_law, finding.law / unit);
        raise(&mut findings.joint_error, finding.error);
        found.push(finding);
    }
    true
}

/// The state from which the velocities of `after` lead to its poses; velocities as they are there.
fn stepped_back(after: &State, h: f64) -> State {
    let mut before = after.clone();
    for (pose, velocity) in before.poses.iter_mut().zip(&after.velocities) {
        pose.position -= velocity.linear * h;
        pose.orientation = UnitQuaternion::from_scaled_axis(-velocity.angular * h) * pose.orientation;
    }
    before
}

/// A contact between bodies that do not exist, of a body with itself, or of a substep that there was not: no account of
/// anything.
fn inconsistent_record() -> Verdict {
    Verdict {
        complementarity: f64::INFINITY,
        relative: f64::INFINITY,
        min_gap: f64::NAN,
        min_gap_relative: f64::NAN,
        ..Verdict::default()
    }
}
