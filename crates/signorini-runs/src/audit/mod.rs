//! A finished run judged again from its files alone: `scene.toml`, `bodies.csv`, `contacts.csv`,
//! `joints.csv`, `substeps.csv` of steps that were halved, `flow.csv` of bodies that came and left, and the
//! claims of `steps.csv` and `summary.json` about them.
//!
//! Three questions are asked, each apart:
//! 1. Are these all the rows that the run wrote, and no others? The chain of digests tells (`chain_check`).
//! 2. Do the columns agree with each other? Each column that follows from others is computed again
//!    (`steps_table`, `summary`, the referee's check of records).
//! 3. Does every step hold? The referee judges it.
//!
//! Every recorded step whose predecessor is recorded too is judged in full. Where the run was thinned, the
//! state before a step is not known and momentum and energy cannot be rebuilt: the contact law and the
//! separation of all pairs are judged, and the report says so. The files are read side by side, one step
//! at a time; memory holds one step.

mod bodies;
mod chain_check;
mod contacts;
mod flow;
mod joints;
mod measures;
mod recomputed_measure;
mod report;
mod steps_table;
mod substeps;
mod summary;
mod tables;
mod times;

pub use report::{AuditOptions, AuditReport, Worst};

use crate::output::chain::is_growing;
use crate::output::rows::{BodyRow, ContactRow, FlowRow, JointRow, StepRow, SubstepRow};
use crate::output::{ExitReason, FlowSummary, Summary, names, source};
use chain_check::ChainCheck;
use recomputed_measure::RecomputedMeasure;
use signorini::referee::{Recorded, RecordedStep, Referee};
use signorini::simulation::advice::Advisor;
use signorini::simulation::ports::Ports;
use signorini::step::{ContactRecord, FlowTally, JointRecord, Loads, Substep, Triggers, n_halved};
use signorini_error::{Result, read_regular};
use signorini_scene::scene::{self, BodyId, LONGEST_FILE, LoadOptions, Scene, State};
use std::collections::HashMap;
use std::path::Path;
use steps_table::{RecomputedStep, StepsTable};
use tables::{FlowTable, StepReader};

/// Largest difference of a recorded quaternion's length from 1 that still is an orientation.
const UNIT_ROUNDING: f64 = 1e-9;

/// Judges the run in `folder` again.
///
/// # Errors
/// When a file is missing or unreadable, is not what this version writes, or contradicts another file
/// about which bodies exist. A line or a step cut off at the end of a file is no error.
pub fn audit(folder: &Path, options: &AuditOptions) -> Result<AuditReport> {
    let path = folder.join(names::SCENE);
    let text = read_regular(&path, LONGEST_FILE)?;
    let scene = scene::load(&path, &LoadOptions::default())?.scene;
    let mut report = AuditReport::new(options, &scene);
    let chain_check = chain_check::verify(folder, &text, &mut report)?;
    let summary = summary::read(folder, &mut report)?;
    chain_check::note_rows_behind(folder, &chain_check, summary.is_some(), &mut report)?;
    let mut audit = Audit {
        referee: Referee::of_records(&scene),
        advisor: Advisor::new(&scene),
        names: scene.bodies.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect(),
        before: scene.initial_state(),
        after: scene.initial_state(),
        has_row: vec![false; scene.bodies.len()],
        loads: Loads::default(),
        triggers: Triggers::default(),
        contacts: Vec::new(),
        joints: Vec::new(),
        damage: (0, HashMap::new()),
        substeps: Vec::new(),
        ids: (0..scene.bodies.len()).map(BodyId::new).collect(),
        next_id: scene.bodies.len(),
        ports: Ports::new(scene.inlets.len()),
        flow: Vec::new(),
        tally: FlowTally::new(&scene),
        measures: recomputed_measure::open(folder, &scene)?,
        every: summary.as_ref().map_or(0, |summary| summary.every),
        off_interval_step: None,
        report,
        scene,
    };
    let mut sums = audit.run(folder, &chain_check)?;
    times::read(folder, audit.report.taken, &mut sums, &mut audit.report)?;
    audit.judge_run(folder, summary.as_ref(), &sums, &chain_check);
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
    /// Whether each body has a row of the step.
    has_row: Vec<bool>,
    loads: Loads,
    triggers: Triggers,
    contacts: Vec<ContactRecord>,
    joints: Vec<JointRecord>,
    /// Last step with joints, and damage of mortar at its end, by the name of its joint.
    damage: (usize, HashMap<String, f64>),
    substeps: Vec<Substep>,
    /// Ids of the bodies, rising.
    ids: Vec<BodyId>,
    /// Id of the next body.
    next_id: usize,
    ports: Ports,
    /// Rows of `flow.csv` of the step.
    flow: Vec<FlowRow<'static>>,
    tally: FlowTally,
    measures: Vec<RecomputedMeasure>,
    /// Interval in steps at which bodies and contacts are recorded; 0 until it is known.
    every: usize,
    /// Last recorded step, if it is no multiple of `every`: only the last step of a run may be one.
    off_interval_step: Option<usize>,
    report: AuditReport,
}

/// Open tables of a run.
struct Tables {
    bodies: StepReader<BodyRow<'static>>,
    contacts: StepReader<ContactRow<'static>>,
    /// Rows of `joints.csv`, in scenes with joints.
    joints: Option<StepReader<JointRow<'static>>>,
    /// Rows of `substeps.csv`, which only runs write that halved a step.
    substeps: Option<StepReader<SubstepRow<'static>>>,
    /// Rows of `flow.csv`, which only runs write in which a body came, left or waited.
    flow: FlowTable,
}

impl Audit {
    fn run(&mut self, folder: &Path, chain_check: &ChainCheck) -> Result<Summary> {
        let covered = |name| (folder.join(name), chain_check.covered(name));
        let open_if = |wanted, name| (wanted || source::exists(&folder.join(name))).then(|| covered(name));
        let (bodies, contacts, steps) =
            (covered(names::BODIES), covered(names::CONTACTS), covered(names::STEPS));
        let joints = open_if(!self.scene.joints.is_empty(), names::JOINTS);
        let (substeps, flow) = (open_if(false, names::SUBSTEPS), open_if(false, names::FLOW));
        let mut tables = Tables {
            bodies: StepReader::open(&bodies.0, bodies.1)?,
            contacts: StepReader::open(&contacts.0, contacts.1)?,
            joints: joints.map(|(path, most)| StepReader::open(&path, most)).transpose()?,
            substeps: substeps.map(|(path, most)| StepReader::open(&path, most)).transpose()?,
            flow: flow.map(|(path, most)| StepReader::open(&path, most)).transpose()?,
        };
        let steps = StepReader::open(&steps.0, steps.1)?;
        let truncation_note = [
            tables.bodies.truncation_note(),
            tables.contacts.truncation_note(),
            tables.joints.as_ref().and_then(StepReader::truncation_note),
            tables.substeps.as_ref().and_then(StepReader::truncation_note),
            tables.flow.as_ref().and_then(StepReader::truncation_note),
            steps.truncation_note(),
        ];
        self.report.notes.extend(truncation_note.into_iter().flatten());
        let mut steps_table = StepsTable::new(steps, Summary::new(&self.scene, "", self.every));
        let mut last = None;
        while let Some(step) = tables.bodies.next_step()? {
            if self.every == 0 && step > 0 {
                self.every = step;
                steps_table.sums.every = step;
            }
            self.follow(last, step);
            self.read_flow(&mut tables.flow, step, step > 0 && last == Some(step - 1))?;
            if !self.read_bodies(&tables.bodies, step)? {
                let what = format!("step {step} ends before its last body");
                self.report.fault(names::BODIES, what);
                break;
            }
            self.read_step(&mut tables, &mut steps_table, step, last)?;
            last = Some(step);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.clone_from(&self.before);
        }
        self.report.last_step = last.unwrap_or(0);
        self.finish_tables(&mut tables, &mut steps_table)?;
        Ok(steps_table.sums)
    }

    /// Reads the rows of a step from the other tables, and judges the step.
    fn read_step(
        &mut self,
        tables: &mut Tables,
        steps_table: &mut StepsTable,
        step: usize,
        last: Option<usize>,
    ) -> Result<()> {
        if step > 0 {
            self.read_contacts(&mut tables.contacts, step)?;
            self.read_joints(&mut tables.joints, step)?;
            self.read_substeps(&mut tables.substeps, step)?;
            self.check_leaving(step);
            self.check_measures(step, last == Some(step - 1));
            let is_claimed = steps_table.read_to(step, &self.scene, &mut self.report)?;
            self.judge(step, last == Some(step - 1), steps_table.row().filter(|_| is_claimed));
        } else if self.after != self.scene.initial_state() {
            self.report.fault(names::BODIES, "step 0 is not the start that scene.toml gives");
        }
        self.triggers.observe(&self.scene, &self.after, &self.contacts, step);
        Ok(())
    }

    fn body<R>(&self, table: &StepReader<R>, step: usize, name: &str) -> Result<usize> {
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
        scene.follow_servos(known.unwrap_or(after), loads.end_time);
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
        let found = RecomputedStep { verdict: &verdict, advice, contacts, substeps: n_halved(substeps) };
        steps_table::compare(claim, &found, scene, report);
    }

    /// Reports rows left in the other tables: their step has no bodies.
    fn finish_tables(&mut self, tables: &mut Tables, steps_table: &mut StepsTable) -> Result<()> {
        let ahead = [
            (names::CONTACTS, tables.contacts.step_ahead()),
            (names::JOINTS, tables.joints.as_ref().and_then(StepReader::step_ahead)),
            (names::SUBSTEPS, tables.substeps.as_ref().and_then(StepReader::step_ahead)),
        ];
        for (table, step) in ahead {
            if let Some(step) = step {
                let what = format!("step {step} has rows, {} has none of it", names::BODIES);
                self.report.fault(table, what);
            }
        }
        steps_table.read_to(usize::MAX, &self.scene, &mut self.report)?;
        self.report.taken = steps_table.n_read().max(self.report.last_step);
        self.finish_flow(&mut tables.flow, self.report.taken)?;
        steps_table.sums.set_flow(FlowSummary::new(&self.scene, &self.tally));
        if steps_table.n_read() < self.report.last_step {
            let what = steps_table::missing(steps_table.n_read() + 1, self.report.last_step);
            self.report.fault(names::STEPS, what);
        }
        Ok(())
    }

    /// Judges the run as a whole: the steps planned, the steps taken, and the summary.
    fn judge_run(
        &mut self,
        folder: &Path,
        summary: Option<&Summary>,
        sums: &Summary,
        chain_check: &ChainCheck,
    ) {
        self.finish_measures(summary.is_some());
        let Self { report, every, off_interval_step, .. } = self;
        let end = report.taken;
        // The last step is written whatever `every` says; of a killed run it may be missing.
        let due = if summary.is_some() { end } else { end - end % (*every).max(1) };
        if due > report.last_step {
            let what = steps_table::missing(report.last_step + 1, due);
            report.fault(names::BODIES, what);
        }
        if let Some(late) = off_interval_step.filter(|late| *late != end) {
            report.fault(names::BODIES, format!("step {late} is no multiple of every = {every}"));
        }
        match summary {
            Some(summary) => {
                summary::compare(summary, sums, chain_check.last_link.as_deref(), report);
                report.unfinished = summary.exit_reason == ExitReason::Interrupted;
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
