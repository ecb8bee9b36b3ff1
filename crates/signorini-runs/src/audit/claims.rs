//! What `steps.csv` claims of every step: in itself, and against what was found in the other tables.

use super::report::AuditReport;
use super::tables::Steps;
use signorini_error::Result;
use signorini_kernels::math::larger;
use crate::output::Summary;
use crate::output::names;
use crate::output::rows::StepRow;
use signorini::referee::Verdict;
use signorini_scene::scene::Scene;
use signorini_scene::settings::Formulation;
use signorini::simulation::advice::Advice;
use signorini_ncp::solver::{Phase, SolveStatus};
use signorini::step::{ContactRecord, Switch};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashSet;
use std::f64::consts::{PI, SQRT_2};

/// Energies agree to this part of them, gaps over the size too.
const SAME: f64 = 1e-9;
/// Indicators, which are lengths over the size, agree to this.
const SAME_PLACE: f64 = 1e-12;
/// Parts of the residual agree to this part of them, or of the tolerance: another machine rounds otherwise.
const SAME_PART: f64 = 1e-6;
const SAME_ROUNDING: f64 = 0.01;

/// What was found of a step.
pub struct Found<'a> {
    /// Judged again.
    pub verdict: &'a Verdict,
    /// What cheaper models would have got wrong; None where the state before is not recorded.
    pub advice: Option<Advice>,
    /// Contacts recorded.
    pub contacts: &'a [ContactRecord],
    /// Substeps recorded.
    pub substeps: usize,
}

/// `steps.csv`, read from step to step.
pub struct Claims {
    table: Steps<StepRow<'static>>,
    /// The step that must come next.
    next: usize,
    /// The model of the step before.
    last_model: Option<String>,
    /// Sums over all steps.
    pub sums: Summary,
}

impl Claims {
    /// From the table of a scene; `sums` has no step yet.
    pub fn new(table: Steps<StepRow<'static>>, sums: Summary) -> Self {
        Self { table, next: 1, last_model: None, sums }
    }

    /// Steps read so far.
    pub fn n_read(&self) -> usize {
        self.next - 1
    }

    /// The last step read.
    pub fn row(&self) -> Option<&StepRow<'static>> {
        self.table.rows().first()
    }

    /// Reads on to `step`, checking every row. Returns whether there is one of that step.
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

/// "step 4 is missing", "steps 4 to 7 are missing".
pub fn missing(first: usize, last: usize) -> String {
    if first == last {
        format!("step {first} is missing")
    } else {
        format!("steps {first} to {last} are missing")
    }
}

/// Whether a text is a word of an enum.
fn is_word<T: DeserializeOwned>(text: &str) -> bool {
    serde_json::from_value::<T>(Value::String(text.to_owned())).is_ok()
}

/// What a row says must agree in itself.
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

/// The model is the scene's, and `auto` gives a reason whenever it changes it.
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

/// The referee's columns are there exactly where it was asked.
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

/// What a row says of a recorded step, against what was found there.
pub fn compare(row: &StepRow<'_>, found: &Found<'_>, scene: &Scene, report: &mut AuditReport) {
    let (step, verdict) = (row.step, found.verdict);
    let mut wrong = |what: String| report.contradict(names::STEPS, step, what);
    let mut hold = |column: &str, said: f64, found: f64, tolerance: f64| {
        if !same(said, found, tolerance) {
            wrong(format!("{column} = {said:e}, found {found:e}"));
        }
    };
    let joules = SAME * verdict.kinetic_energy.abs().max(verdict.potential_energy.abs());
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
        SAME * (size.min(1e300) + gap.abs().min(1e300)),
    );
    if let Some(advice) = found.advice.filter(|_| row.referee != "off") {
        let tolerance = scene.solver.tolerance;
        let mut part = |column: &str, said: Option<f64>, found: f64, rounding: f64| {
            hold(column, said.unwrap_or(f64::NAN), found, SAME_PART * found.abs() + rounding);
        };
        let rounding = SAME_ROUNDING * tolerance;
        part("referee_momentum", row.referee_momentum, verdict.momentum, rounding);
        part("referee_complementarity", row.referee_complementarity, verdict.complementarity, rounding);
        part("referee_friction", row.referee_friction, verdict.friction, rounding);
        part("energy_created", row.energy_created, verdict.energy_created, joules);
        part("gap_linearization", row.gap_linearization, advice.gap_linearization, SAME_PLACE);
        part("cone_lift", row.cone_lift, advice.cone_lift, SAME_PLACE);
        // The place of the polygon is not recorded: what it may miss at most is known.
        let most = advice.slip_direction * polygon_room(scene) * (1.0 + SAME) + SAME;
        if !row.slip_direction.is_some_and(|said| (0.0..=most).contains(&said)) {
            part("slip_direction", row.slip_direction, advice.slip_direction, SAME);
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

/// Pairs recorded, those of halved islands once per substep: models with contact points have several rows of
/// each.
fn n_listed(contacts: &[ContactRecord]) -> usize {
    let key = |c: &ContactRecord| (c.key(), c.span.start.to_bits(), c.span.end.to_bits());
    contacts.iter().map(key).collect::<HashSet<_>>().len()
}

/// How much more than half a sector a slip that also spins may miss the corner of a polygon.
fn polygon_room(scene: &Scene) -> f64 {
    let directions = scene.solver.stewart_trinkle.directions as f64;
    let half_sector = 2.0 * (PI / (2.0 * directions)).sin();
    (SQRT_2 / half_sector).max(1.0)
}

/// Whether two numbers are the same to `tolerance`; two NaN are, and two equal infinities.
pub fn same(said: f64, found: f64, tolerance: f64) -> bool {
    said == found || said.is_nan() && found.is_nan() || (said - found).abs() <= tolerance
}

/// Whether a recorded time (s) is that of an instant.
pub fn is_time(said: f64, instant: f64, scene: &Scene) -> bool {
    (said - instant).abs() <= SAME * scene.time_step + 4.0 * f64::EPSILON * instant
}
