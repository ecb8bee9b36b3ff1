//! A finished run judged again from its files alone: `scene.toml`, `bodies.csv`, `contacts.csv`,
//! `substeps.csv` of steps that were halved, and what `steps.csv` claims about them.
//!
//! Every recorded step whose predecessor is recorded too is judged in full. Where the run was thinned, the
//! state before a step is not known and momentum and energy cannot be rebuilt: the contact law and the
//! separation of all pairs are judged, and the report says so. The files are read side by side, one step
//! at a time; memory holds one step.

mod joints;
mod report;
mod substeps;
mod tables;

pub use report::{AuditReport, Worst};

use crate::error::Result;
use crate::geometry::{Pose, Velocity};
use crate::output::folder::names;
use crate::output::rows::{BodyRow, ContactRow, JointRow, StepRow, SubstepRow};
use crate::referee::{RecordedStep, Referee, Verdict};
use crate::scene::{self, LoadOptions, Scene, State};
use crate::step::{ContactRecord, ContactState, JointRecord, Loads, Span, Substep, Triggers};
use nalgebra::{Quaternion, Unit, Vector3};
use std::collections::HashMap;
use std::path::Path;
use tables::Steps;

/// Energies recorded in `steps.csv` agree with the referee's to this part of them.
const SAME_ENERGY: f64 = 1e-9;

/// A recorded quaternion that is further than this from unit length is no orientation.
const UNIT_ROUNDING: f64 = 1e-9;

/// Judges the run in `folder` again.
///
/// # Errors
/// When a file is missing or unreadable, is not what this version writes, or contradicts another file
/// about which bodies and steps exist. A line or a step cut off at the end of a file is no error.
pub fn audit(folder: &Path) -> Result<AuditReport> {
    let scene = scene::load(&folder.join(names::SCENE), &LoadOptions::default())?.scene;
    let mut audit = Audit {
        referee: Referee::new(&scene),
        names: scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect(),
        before: scene.initial_state(),
        after: scene.initial_state(),
        seen: vec![false; scene.bodies.len()],
        loads: Loads::default(),
        triggers: Triggers::default(),
        contacts: Vec::new(),
        joints: Vec::new(),
        substeps: Vec::new(),
        report: AuditReport::default(),
        scene,
    };
    audit.report.approximate = !audit.scene.solver.formulation.is_exact();
    audit.run(folder)?;
    Ok(audit.report)
}

/// An audit in progress.
struct Audit {
    scene: Scene,
    referee: Referee,
    names: HashMap<String, usize>,
    before: State,
    after: State,
    seen: Vec<bool>,
    loads: Loads,
    triggers: Triggers,
    contacts: Vec<ContactRecord>,
    joints: Vec<JointRecord>,
    substeps: Vec<Substep>,
    report: AuditReport,
}

impl Audit {
    fn run(&mut self, folder: &Path) -> Result<()> {
        let mut bodies: Steps<BodyRow<'static>> = Steps::open(&folder.join(names::BODIES))?;
        let mut contacts: Steps<ContactRow<'static>> = Steps::open(&folder.join(names::CONTACTS))?;
        let mut claims: Steps<StepRow<'static>> = Steps::open(&folder.join(names::STEPS))?;
        let path = folder.join(names::SUBSTEPS);
        // Written only by runs that halved a step.
        let mut substeps: Option<Steps<SubstepRow<'static>>> =
            if path.exists() { Some(Steps::open(&path)?) } else { None };
        let path = folder.join(names::JOINTS);
        let mut joints: Option<Steps<JointRow<'static>>> =
            if self.scene.joints.is_empty() { None } else { Some(Steps::open(&path)?) };
        let torn = substeps.as_ref().and_then(Steps::torn);
        let torn_joints = joints.as_ref().and_then(Steps::torn);
        for note in [bodies.torn(), contacts.torn(), torn_joints, torn, claims.torn()].into_iter().flatten() {
            self.report.notes.push(note);
        }
        let mut last = None;
        while let Some(step) = bodies.next_step()? {
            if !self.take_bodies(&bodies, step)? {
                self.report
                    .notes
                    .push(format!("{}: step {step} ends before its last body: not judged", names::BODIES));
                break;
            }
            if step > 0 {
                self.take_contacts(&mut contacts, step)?;
                self.take_joints(&mut joints, step)?;
                self.take_substeps(&mut substeps, step)?;
                let claim = claims.seek(step)?.then(|| &claims.rows()[0]);
                self.judge(step, last == Some(step - 1), claim);
            } else if self.after != self.scene.initial_state() {
                let note = "step 0 is not the start that scene.toml gives";
                self.report.faults.push(format!("{}: {note}", names::BODIES));
            }
            self.triggers.observe(&self.scene, &self.after, &self.contacts, step);
            last = Some(step);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.clone_from(&self.before);
        }
        self.report.planned = self.scene.n_steps();
        self.report.last_step = last.unwrap_or(0);
        self.finish(contacts, claims)
    }

    /// What is left in the other tables belongs to a step whose bodies were never written.
    fn finish(
        &mut self,
        mut contacts: Steps<ContactRow<'static>>,
        mut claims: Steps<StepRow<'static>>,
    ) -> Result<()> {
        if let Some(step) = contacts.next_step()? {
            self.report
                .notes
                .push(format!("{}: step {step} and later have no bodies: not judged", names::CONTACTS));
        }
        let mut unrecorded = 0;
        while claims.next_step()?.is_some() {
            unrecorded += 1;
        }
        if unrecorded > 0 {
            self.report.notes.push(format!(
                "{}: {unrecorded} steps after the last recorded one: not judged",
                names::STEPS
            ));
        }
        Ok(())
    }

    /// Reads the poses of a step. False when the table ends within the step.
    fn take_bodies(&mut self, table: &Steps<BodyRow<'static>>, step: usize) -> Result<bool> {
        self.seen.fill(false);
        for row in table.rows() {
            let i = self.body(table, step, &row.body)?;
            if std::mem::replace(&mut self.seen[i], true) {
                return Err(table.fault(step, format!("body {:?} is there twice", row.body)));
            }
            // As written: renormalising would move the last bit.
            let orientation = Unit::new_unchecked(Quaternion::new(row.qw, row.qx, row.qy, row.qz));
            // A run full of NaN is for the referee to call red.
            if (orientation.norm() - 1.0).abs() > UNIT_ROUNDING {
                return Err(
                    table.fault(step, format!("orientation of {:?} is not a unit quaternion", row.body))
                );
            }
            self.after.poses[i] = Pose { position: Vector3::new(row.x, row.y, row.z), orientation };
            self.after.velocities[i] = Velocity {
                linear: Vector3::new(row.vx, row.vy, row.vz),
                angular: Vector3::new(row.wx, row.wy, row.wz),
            };
        }
        let missing = (0..self.seen.len()).position(|i| {
            let written = step == 0 || !self.scene.bodies[i].fixed || self.scene.is_carried(i);
            !self.seen[i] && written
        });
        match missing {
            None => Ok(true),
            Some(_) if table.at_end() => Ok(false),
            Some(i) => Err(table.fault(step, format!("body {:?} is missing", self.scene.bodies[i].name))),
        }
    }

    fn take_contacts(&mut self, table: &mut Steps<ContactRow<'static>>, step: usize) -> Result<()> {
        self.contacts.clear();
        if !table.seek(step)? {
            return Ok(());
        }
        for row in table.rows() {
            let state = match row.state.as_ref() {
                "open" => ContactState::Open,
                "stick" => ContactState::Stick,
                "slip" => ContactState::Slip,
                other => {
                    return Err(table.fault(step, format!("state {other:?}: must be open, stick or slip")));
                }
            };
            self.contacts.push(ContactRecord {
                body_a: self.body(table, step, &row.body_a)?,
                body_b: self.body(table, step, &row.body_b)?,
                ecp: Vector3::new(row.ecp_x, row.ecp_y, row.ecp_z),
                normal: Vector3::new(row.nx, row.ny, row.nz),
                tangent: Vector3::zeros(),
                gap: row.gap,
                normal_impulse: row.normal_impulse,
                friction_impulse: Vector3::new(
                    row.friction_impulse_x,
                    row.friction_impulse_y,
                    row.friction_impulse_z,
                ),
                torsional_impulse: row.torsional_impulse,
                slip_speed: row.slip_speed,
                state,
                span: Span { start: row.substep_start, end: row.substep_end },
                acting: row.acting(),
                touch: row.touch().ok_or_else(|| {
                    table.fault(step, format!("kind {:?}: must be point, line or surface", row.kind))
                })?,
            });
        }
        Ok(())
    }

    fn body<R>(&self, table: &Steps<R>, step: usize, name: &str) -> Result<usize> {
        let unknown = || table.fault(step, format!("body {name:?} is not in {}", names::SCENE));
        self.names.get(name).copied().ok_or_else(unknown)
    }

    fn judge(&mut self, step: usize, consecutive: bool, claim: Option<&StepRow<'static>>) {
        self.loads.gather(&self.scene, step - 1);
        self.loads.add_triggered(&self.scene, &self.triggers);
        let Self { scene, before, after, loads, contacts, joints, substeps, referee, .. } = self;
        let before = consecutive.then_some(&*before);
        let verdict =
            referee.judge(&RecordedStep { scene, before, after, loads, contacts, joints, substeps });
        self.report.add(step, consecutive, &verdict);
        if let Some(claim) = claim {
            self.compare(step, consecutive, &verdict, claim);
        }
    }

    /// Whether `steps.csv` says of a step what its bodies and contacts say.
    fn compare(&mut self, step: usize, consecutive: bool, verdict: &Verdict, claim: &StepRow<'static>) {
        let scale = verdict.kinetic_energy.abs().max(verdict.potential_energy.abs());
        let energies = [
            ("kinetic_energy", claim.kinetic_energy, verdict.kinetic_energy),
            ("potential_energy", claim.potential_energy, verdict.potential_energy),
        ];
        for (column, said, found) in energies {
            if (said - found).abs() > SAME_ENERGY * scale {
                self.report.contradict(step, format!("{column} = {said:e}, the bodies have {found:e}"));
            }
        }
        if claim.contacts != self.contacts.len() {
            let (said, found) = (claim.contacts, self.contacts.len());
            self.report.contradict(step, format!("contacts = {said}, {} has {found}", names::CONTACTS));
        }
        let said_green = claim.referee == "green";
        if consecutive && claim.referee != "off" && said_green != verdict.green {
            let found = if verdict.green { "green" } else { "red" };
            self.report.contradict(step, format!("referee = {}, judged {found} again", claim.referee));
        }
    }
}
