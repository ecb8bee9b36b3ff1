//! A finished run judged again from its files alone: `scene.toml`, `bodies.csv`, `contacts.csv`,
//! `joints.csv`, `substeps.csv` of steps that were halved, `flow.csv` of bodies that came and left, and the
//! claims of `steps.csv` and `summary.json` about them.
//!
//! Three questions are asked, each apart:
//! 1. Are these all the rows that the run wrote, and no others? The chain of digests tells (`evidence`).
//! 2. Do the columns agree with each other? Each column that follows from others is computed again (`claims`,
//!    `page`, the referee's check of records).
//! 3. Does every step hold? The referee judges it.
//!
//! Every recorded step whose predecessor is recorded too is judged in full. Where the run was thinned, the
//! state before a step is not known and momentum and energy cannot be rebuilt: the contact law and the
//! separation of all pairs are judged, and the report says so. The files are read side by side, one step
//! at a time; memory holds one step.

mod bodies;
mod claims;
mod contacts;
mod evidence;
mod flow;
mod joints;
mod measured;
mod measures;
mod page;
mod report;
mod substeps;
mod tables;
mod times;

pub use report::{AuditOptions, AuditReport, Worst};

use crate::output::chain::is_growing;
use crate::output::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow};
use crate::output::{ExitReason, FlowSummary, Summary, names, source};
use claims::{Claims, Found};
use evidence::Evidence;
use measured::Measured;
use signorini::referee::{Recorded, RecordedStep, Referee};
use signorini::simulation::advice::Advisor;
use signorini::simulation::ports::Ports;
use signorini::step::{ContactRecord, FlowTally, JointRecord, Loads, Substep, Triggers, n_halved};
use signorini_error::{Error, Result};
use signorini_scene::scene::{self, BodyId, LoadOptions, Scene, State};
use std::collections::HashMap;
use std::path::Path;
use tables::{FlowTable, Steps};

/// Largest difference of a recorded quaternion's length from 1 that still is an orientation.
const UNIT_ROUNDING: f64 = 1e-9;

/// Judges the run in `folder` again.
///
/// # Errors
/// When a file is missing or unreadable, is not what this version writes, or contradicts another file
/// about which bodies exist. A line or a step cut off at the end of a file is no error.
pub fn audit(folder: &Path, options: &AuditOptions) -> Result<AuditReport> {
    let path = folder.join(names::SCENE);
    let text = std::fs::read(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
    let scene = scene::load(&path, &LoadOptions::default())?.scene;
    let mut report = AuditReport::new(options, &scene);
    let evidence = evidence::follow(folder, &text, &mut report)?;
    let page = page::read(folder, &mut report)?;
    evidence::tails(folder, &evidence, page.is_some(), &mut report)?;
    let mut audit = Audit {
        referee: Referee::of_records(&scene),
        advisor: Advisor::new(&scene),
        names: scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect(),
        before: scene.initial_state(),
        after: scene.initial_state(),
        seen: vec![false; scene.bodies.len()],
        loads: Loads::default(),
        triggers: Triggers::default(),
        contacts: Vec::new(),
        joints: Vec::new(),
        substeps: Vec::new(),
        ids: (0..scene.bodies.len()).map(BodyId::new).collect(),
        next_id: scene.bodies.len(),
        ports: Ports::new(scene.inlets.len()),
        flow: Vec::new(),
        tally: FlowTally::new(&scene),
        measures: measured::open(folder, &scene)?,
        every: page.as_ref().map_or(0, |page| page.every),
        off_beat: None,
        report,
        scene,
    };
    let mut sums = audit.run(folder, &evidence)?;
    times::read(folder, audit.report.taken, &mut sums, &mut audit.report)?;
    audit.close(folder, page.as_ref(), &sums, &evidence);
    Ok(audit.report)
}

/// State of an audit in progress.
struct Audit {
    scene: Scene,
    referee: Referee,
    advisor: Advisor,
    names: HashMap<String, usize>,
    before: State,
    after: State,
    seen: Vec<bool>,
    loads: Loads,
    triggers: Triggers,
    contacts: Vec<ContactRecord>,
    joints: Vec<JointRecord>,
    substeps: Vec<Substep>,
    /// Ids of the bodies, rising.
    ids: Vec<BodyId>,
    /// Id of the next body.
    next_id: usize,
    ports: Ports,
    /// Rows of `flow.csv` of the step.
    flow: Vec<FlowRow<'static>>,
    tally: FlowTally,
    measures: Vec<Measured>,
    /// Interval in steps at which bodies and contacts are recorded; 0 until it is known.
    every: usize,
    /// Last recorded step, if it is no multiple of `every`.
    off_beat: Option<usize>,
    report: AuditReport,
}

/// Open tables of a run.
struct Tables {
    bodies: Steps<BodyRow<'static>>,
    contacts: Steps<ContactRow<'static>>,
    /// Rows of `joints.csv`, in scenes with joints.
    joints: Option<Steps<JointRow<'static>>>,
    /// Rows of `substeps.csv`, which only runs write that halved a step.
    substeps: Option<Steps<SubstepRow<'static>>>,
    /// Rows of `flow.csv`, which only runs write in which a body came, left or waited.
    flow: FlowTable,
}

impl Audit {
    fn run(&mut self, folder: &Path, evidence: &Evidence) -> Result<Summary> {
        let most = |name| (folder.join(name), evidence.covered(name));
        let open_if = |wanted, name| (wanted || source::exists(&folder.join(name))).then(|| most(name));
        let (bodies, contacts, steps) = (most(names::BODIES), most(names::CONTACTS), most(names::STEPS));
        let joints = open_if(!self.scene.joints.is_empty(), names::JOINTS);
        let (substeps, flow) = (open_if(false, names::SUBSTEPS), open_if(false, names::FLOW));
        let mut tables = Tables {
            bodies: Steps::open(&bodies.0, bodies.1)?,
            contacts: Steps::open(&contacts.0, contacts.1)?,
            joints: joints.map(|(path, most)| Steps::open(&path, most)).transpose()?,
            substeps: substeps.map(|(path, most)| Steps::open(&path, most)).transpose()?,
            flow: flow.map(|(path, most)| Steps::open(&path, most)).transpose()?,
        };
        let steps = Steps::open(&steps.0, steps.1)?;
        let torn = [
            tables.bodies.torn(),
            tables.contacts.torn(),
            tables.joints.as_ref().and_then(Steps::torn),
            tables.substeps.as_ref().and_then(Steps::torn),
            tables.flow.as_ref().and_then(Steps::torn),
            steps.torn(),
        ];
        self.report.notes.extend(torn.into_iter().flatten());
        let mut claims = Claims::new(steps, Summary::new(&self.scene, "", self.every));
        let mut last = None;
        while let Some(step) = tables.bodies.next_step()? {
            if self.every == 0 && step > 0 {
                self.every = step;
                claims.sums.every = step;
            }
            self.follow(last, step);
            self.take_flow(&mut tables.flow, step, step > 0 && last == Some(step - 1))?;
            if !self.take_bodies(&tables.bodies, step)? {
                let what = format!("step {step} ends before its last body");
                self.report.fault(names::BODIES, what);
                break;
            }
            self.take_step(&mut tables, &mut claims, step, last)?;
            last = Some(step);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.clone_from(&self.before);
        }
        self.report.last_step = last.unwrap_or(0);
        self.finish(&mut tables, &mut claims)?;
        Ok(claims.sums)
    }

    /// Reads the rows of a step from the other tables, and judges the step.
    fn take_step(
        &mut self,
        tables: &mut Tables,
        claims: &mut Claims,
        step: usize,
        last: Option<usize>,
    ) -> Result<()> {
        if step > 0 {
            self.take_contacts(&mut tables.contacts, step)?;
            self.take_joints(&mut tables.joints, step)?;
            self.take_substeps(&mut tables.substeps, step)?;
            self.check_leaving(step);
            self.check_measures(step, last == Some(step - 1));
            let is_claimed = claims.read_to(step, &self.scene, &mut self.report)?;
            self.judge(step, last == Some(step - 1), claims.row().filter(|_| is_claimed));
        } else if self.after != self.scene.initial_state() {
            self.report.fault(names::BODIES, "step 0 is not the start that scene.toml gives");
        }
        self.triggers.observe(&self.scene, &self.after, &self.contacts, step);
        Ok(())
    }

    fn body<R>(&self, table: &Steps<R>, step: usize, name: &str) -> Result<usize> {
        let unknown = || table.fault(step, format!("body {name:?} is not in {}", names::SCENE));
        self.names.get(name).copied().ok_or_else(unknown)
    }

    fn judge(&mut self, step: usize, consecutive: bool, claim: Option<&StepRow<'static>>) {
        self.loads.gather(&self.scene, step - 1);
        self.loads.add_triggered(&self.scene, &self.triggers);
        let Self {
            scene, before, after, loads, contacts, joints, substeps, referee, advisor, report, ..
        } = self;
        let known = consecutive.then_some(&*before);
        let verdict =
            referee.judge(&RecordedStep { scene, before: known, after, loads, contacts, joints, substeps });
        report.add(step, consecutive, &verdict);
        for fault in referee.record_faults() {
            let (table, what) = match fault.of {
                Recorded::Contact(i) => {
                    let [a, b] = [contacts[i].body_a, contacts[i].body_b].map(|id| &scene.bodies[id].name);
                    (names::CONTACTS, format!("{a:?} and {b:?}: {}", fault.what))
                }
                Recorded::Joint(i) => {
                    (names::JOINTS, format!("{:?}: {}", scene.joints[joints[i].joint].name, fault.what))
                }
            };
            report.contradict(table, step, what);
        }
        let Some(claim) = claim else { return };
        let advice = known.map(|before| advisor.advise(scene, before, after, contacts));
        let found = Found { verdict: &verdict, advice, contacts, substeps: n_halved(substeps) };
        claims::compare(claim, &found, scene, report);
    }

    /// Reports rows left in the other tables: their step has no bodies.
    fn finish(&mut self, tables: &mut Tables, claims: &mut Claims) -> Result<()> {
        let ahead = [
            (names::CONTACTS, tables.contacts.step_ahead()),
            (names::JOINTS, tables.joints.as_ref().and_then(Steps::step_ahead)),
            (names::SUBSTEPS, tables.substeps.as_ref().and_then(Steps::step_ahead)),
        ];
        for (table, step) in ahead {
            if let Some(step) = step {
                let what = format!("step {step} has rows, {} has none of it", names::BODIES);
                self.report.fault(table, what);
            }
        }
        claims.read_to(usize::MAX, &self.scene, &mut self.report)?;
        self.report.taken = claims.n_read().max(self.report.last_step);
        self.finish_flow(&mut tables.flow, self.report.taken)?;
        claims.sums.flow = FlowSummary::new(&self.scene, &self.tally);
        if claims.n_read() < self.report.last_step {
            let what = claims::missing(claims.n_read() + 1, self.report.last_step);
            self.report.fault(names::STEPS, what);
        }
        Ok(())
    }

    /// Judges the run as a whole: the steps planned, the steps taken, and the summary.
    fn close(&mut self, folder: &Path, page: Option<&Summary>, sums: &Summary, evidence: &Evidence) {
        self.finish_measures(page.is_some());
        let Self { report, every, off_beat, .. } = self;
        let end = report.taken;
        // The last step is written whatever `every` says; of a killed run it may be missing.
        let due = if page.is_some() { end } else { end - end % (*every).max(1) };
        if due > report.last_step {
            let what = claims::missing(report.last_step + 1, due);
            report.fault(names::BODIES, what);
        }
        if let Some(late) = off_beat.filter(|late| *late != end) {
            report.fault(names::BODIES, format!("step {late} is no multiple of every = {every}"));
        }
        match page {
            Some(page) => {
                page::compare(page, sums, evidence.last_link.as_deref(), report);
                report.unfinished = page.exit_reason == ExitReason::Interrupted;
            }
            None => {
                report.unfinished = true;
                let why = if is_growing(folder) { "the run is going on" } else { "the run was killed" };
                report.notes.push(format!("no {}: {why}", names::SUMMARY));
            }
        }
        report.unsolved = sums.unsolved_steps;
        report.unfinished |= end < report.planned;
        if end > report.planned {
            report.fault(names::STEPS, format!("has {end} steps, the scene asks for {}", report.planned));
        }
    }
}
