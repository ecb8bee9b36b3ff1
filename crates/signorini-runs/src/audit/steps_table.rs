//! StepsTable of `steps.csv` about every step, checked in themselves and against the other tables.

use super::report::AuditReport;
use super::tables::StepReader;
use crate::output::Summary;
use crate::output::names;
use crate::output::rows::StepRow;
use serde::de::DeserializeOwned;
use serde_json::Value;
use signorini::referee::Verdict;
use signorini::simulation::advice::Advice;
use signorini::step::{ContactRecord, Switch};
use signorini_error::Result;
use signorini_kernels::math::larger;
use signorini_ncp::solver::{Phase, SolveStatus};
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation;
use std::collections::HashSet;
use std::f64::consts::{PI, SQRT_2};

/// Relative tolerance of energies, and of gaps over the size.
const RELATIVE_TOLERANCE: f64 = 1e-9;
/// Tolerance of indicators that are lengths over the size.
const LENGTH_TOLERANCE: f64 = 1e-12;
/// Relative tolerance of the parts of the residual, since another machine rounds otherwise.
const RESIDUAL_TOLERANCE: f64 = 1e-6;
/// Tolerance of the parts of the residual over the solver's tolerance.
const RESIDUAL_ROUNDING: f64 = 0.01;

/// Facts found about a step from the other tables.
pub struct RecomputedStep<'a> {
    /// Verdict of the referee, judged again.
    pub verdict: &'a Verdict,
    /// Errors that cheaper models would have made; None where the state before is not recorded.
    pub advice: Option<Advice>,
    /// Contacts recorded of the step.
    pub contacts: &'a [ContactRecord],
    /// Number of substeps recorded.
    pub substeps: usize,
}

/// Reader of `steps.csv`, step by step, that checks every row.
pub struct StepsTable {
    table: StepReader<StepRow<'static>>,
    /// Step that must come next.
    next: usize,
    /// Model of the step before.
    last_model: Option<String>,
    /// Sums over the steps read.
    pub sums: Summary,
}

impl StepsTable {
    /// Starts at the head of the table; `sums` has no step yet.
    pub fn new(table: StepReader<StepRow<'static>>, sums: Summary) -> Self {
        Self { table, next: 1, last_model: None, sums }
    }

    /// Number of steps read so far.
    pub fn n_read(&self) -> usize {
        self.next - 1
    }

    /// Row of the last step read.
    pub fn row(&self) -> Option<&StepRow<'static>> {
        self.table.rows().first()
    }

    /// Reads on to `step`, checking every row; returns whether the table has a row of that step.
    pub fn read_to(&mut self, step: usize, scene: &Scene, report: &mut AuditReport) -> Result<bool> {
        let mut found = None;
        while self.table.step_ahead().is_some_and(|ahead| ahead <= step) {
            found = self.table.next_step()?;
            let Some(at) = found else { break };
            if at > self.next {
                report.fault(names::STEPS, missing(self.next, at - 1));
            }
            self.next = at + 1;
            let rows = self.table.rows();
            if rows.len() > 1 {
                report.contradict(names::STEPS, at, format!("is there {} times", rows.len()));
            }
            if let Some(row) = rows.first() {
                self.sums.add(row);
                check_row(row, scene, self.last_model.as_deref(), report);
                self.last_model = row.formulation.as_ref().map(|f| f.to_string());
            }
        }
        Ok(found == Some(step))
    }
}

/// Message about missing steps: "step 4 is missing", "steps 4 to 7 are missing".
pub fn missing(first: usize, last: usize) -> String {
    if first == last {
        format!("step {first} is missing")
    } else {
        format!("steps {first} to {last} are missing")
    }
}

/// Whether a text is the word of a variant of the enum `T`.
fn is_word<T: DeserializeOwned>(text: &str) -> bool {
    serde_json::from_value::<T>(Value::String(text.to_owned())).is_ok()
}

/// Checks that the columns of a row agree with each other and with the scene.
fn check_row(row: &StepRow<'_>, scene: &Scene, last_model: Option<&str>, report: &mut AuditReport) {
    let step = row.step;
    let mut wrong = |what: String| report.contradict(names::STEPS, step, what);
    if !is_time(row.time, step as f64 * scene.time_step, scene) {
        wrong(format!("time = {:e} s, step {step} ends at {:e}", row.time, step as f64 * scene.time_step));
    }
    let parts = [row.momentum_residual, row.complementarity_residual, row.friction_residual];
    let largest = parts.into_iter().fold(f64::NEG_INFINITY, larger);
    if !same(row.residual, largest, 0.0) {
        wrong(format!("residual = {:e}, the largest of its parts is {largest:e}", row.residual));
    }
    if !is_word::<SolveStatus>(&row.status) {
        wrong(format!("status = {:?}: no such word", row.status));
    }
    if !is_word::<Phase>(&row.phase) {
        wrong(format!("phase = {:?}: no such word", row.phase));
    }
    let halved = row.status == SolveStatus::SolvedByHalving.as_str();
    if halved && row.substeps == 0 {
        wrong(format!("status = {}, substeps = 0", row.status));
    }
    check_model(row, scene, last_model, &mut wrong);
    check_referee(row, &mut wrong);
}

/// Checks that the model is the scene's, and that `auto` gives a reason whenever it changes the model.
fn check_model(row: &StepRow<'_>, scene: &Scene, last_model: Option<&str>, wrong: &mut impl FnMut(String)) {
    let asked = scene.solver.formulation;
    let model = row.formulation.as_deref().unwrap_or_default();
    let is_known = model != Formulation::Auto.as_str() && is_word::<Formulation>(model);
    if !is_known || asked != Formulation::Auto && model != asked.as_str() {
        wrong(format!("formulation = {model:?}, the scene has {:?}", asked.as_str()));
    }
    let reason = row.switch.as_deref().unwrap_or_default();
    let is_reason = asked == Formulation::Auto && Switch::ALL.iter().any(|s| s.as_str() == reason);
    if !reason.is_empty() && !is_reason {
        wrong(format!("switch = {reason:?}, formulation = {model:?}"));
    }
    let has_changed = last_model.is_some_and(|last| last != model);
    if last_model.is_some() && has_changed == reason.is_empty() {
        wrong(format!(
            "switch = {reason:?}, formulation = {model:?} after {:?}",
            last_model.unwrap_or_default()
        ));
    }
}

/// Checks that the referee's columns have values exactly in the steps that the referee judged.
fn check_referee(row: &StepRow<'_>, wrong: &mut impl FnMut(String)) {
    let columns = [
        row.referee_momentum,
        row.referee_complementarity,
        row.referee_friction,
        row.energy_created,
        row.gap_linearization,
        row.cone_lift,
        row.slip_direction,
    ];
    let there = columns.iter().filter(|c| c.is_some()).count();
    match row.referee.as_ref() {
        "green" | "red" if there == columns.len() => {}
        "off" if there == 0 => {}
        word @ ("green" | "red" | "off") => {
            wrong(format!("referee = {word}, {there} of its {} columns are there", columns.len()));
        }
        other => wrong(format!("referee = {other:?}: must be green, red or off")),
    }
}

/// Compares a row of a recorded step with the facts found about that step.
pub fn compare(row: &StepRow<'_>, found: &RecomputedStep<'_>, scene: &Scene, report: &mut AuditReport) {
    let (step, verdict) = (row.step, found.verdict);
    let mut wrong = |what: String| report.contradict(names::STEPS, step, what);
    let mut hold = |column: &str, said: f64, found: f64, tolerance: f64| {
        if !same(said, found, tolerance) {
            wrong(format!("{column} = {said:e}, found {found:e}"));
        }
    };
    let joules = RELATIVE_TOLERANCE * verdict.kinetic_energy.abs().max(verdict.potential_energy.abs());
    hold("kinetic_energy", row.kinetic_energy, verdict.kinetic_energy, joules);
    hold("potential_energy", row.potential_energy, verdict.potential_energy, joules);
    let listed = found.contacts.iter().fold(f64::INFINITY, |least, c| least.min(c.gap));
    let gap = if row.referee == "off" { listed } else { verdict.min_gap };
    let size = scene.bodies.iter().filter_map(|b| b.size()).fold(f64::INFINITY, f64::min);
    let gap = if gap.is_finite() { gap } else { f64::INFINITY };
    hold(
        "min_gap",
        row.min_gap.unwrap_or(f64::INFINITY),
        gap,
        RELATIVE_TOLERANCE * (size.min(1e300) + gap.abs().min(1e300)),
    );
    if let Some(advice) = found.advice.filter(|_| row.referee != "off") {
        let tolerance = scene.solver.tolerance;
        let mut part = |column: &str, said: Option<f64>, found: f64, rounding: f64| {
            hold(column, said.unwrap_or(f64::NAN), found, RESIDUAL_TOLERANCE * found.abs() + rounding);
        };
        let rounding = RESIDUAL_ROUNDING * tolerance;
        part("referee_momentum", row.referee_momentum, verdict.momentum, rounding);
        part("referee_complementarity", row.referee_complementarity, verdict.complementarity, rounding);
        part("referee_friction", row.referee_friction, verdict.friction, rounding);
        part("energy_created", row.energy_created, verdict.energy_created, joules);
        part("gap_linearization", row.gap_linearization, advice.gap_linearization, LENGTH_TOLERANCE);
        part("cone_lift", row.cone_lift, advice.cone_lift, LENGTH_TOLERANCE);
        // The polygon's orientation is not recorded: only the largest possible miss is known.
        let most =
            advice.slip_direction * polygon_room(scene) * (1.0 + RELATIVE_TOLERANCE) + RELATIVE_TOLERANCE;
        if !row.slip_direction.is_some_and(|said| (0.0..=most).contains(&said)) {
            part("slip_direction", row.slip_direction, advice.slip_direction, RELATIVE_TOLERANCE);
        }
        let (said, judged) = (row.referee == "green", if verdict.green { "green" } else { "red" });
        if said != verdict.green {
            wrong(format!("referee = {}, judged {judged} again", row.referee));
        }
    }
    let listed = n_listed(found.contacts);
    if row.contacts != listed {
        wrong(format!("contacts = {}, {} has {listed}", row.contacts, names::CONTACTS));
    }
    if row.substeps != found.substeps {
        wrong(format!("substeps = {}, {} has {}", row.substeps, names::SUBSTEPS, found.substeps));
    }
}

/// Number of pairs recorded, those of halved islands once per substep. Models with contact points have
/// several rows of each pair.
fn n_listed(contacts: &[ContactRecord]) -> usize {
    let key = |c: &ContactRecord| (c.key(), c.span.start.to_bits(), c.span.end.to_bits());
    contacts.iter().map(key).collect::<HashSet<_>>().len()
}

/// Largest ratio of the miss of a slip that also spins to half a sector of the polygon.
fn polygon_room(scene: &Scene) -> f64 {
    let directions = scene.solver.stewart_trinkle.directions as f64;
    let half_sector = 2.0 * (PI / (2.0 * directions)).sin();
    (SQRT_2 / half_sector).max(1.0)
}

/// Whether two numbers agree to `tolerance`; two NaN agree, and so do two equal infinities.
pub fn same(said: f64, found: f64, tolerance: f64) -> bool {
    said == found || said.is_nan() && found.is_nan() || (said - found).abs() <= tolerance
}

/// Whether a recorded time (s) is that of `instant`.
pub fn is_time(said: f64, instant: f64, scene: &Scene) -> bool {
    (said - instant).abs() <= RELATIVE_TOLERANCE * scene.time_step + 4.0 * f64::EPSILON * instant
}
