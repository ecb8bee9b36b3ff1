//! Bodies that came and left, as `flow.csv` records them. The audit takes the bodies in and out of its scene,
//! and finds again which bodies were due, which had room, and which were in an outlet.

use super::Audit;
use super::steps_table::{is_time, same};
use super::tables::{FlowTable, StepReader};
use crate::output::names;
use crate::output::rows::{FlowRow, time_of};
use nalgebra::{Quaternion, Unit, Vector3};
use signorini::referee::Referee;
use signorini::simulation::advice::Advisor;
use signorini::simulation::exchange::{SceneAtStep, bodies_due, leaving_record};
use signorini::step::{FlowEvent, FlowRecord, PortEvent};
use signorini_error::Result;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::BodyId;

/// Tolerance of numbers, relative or absolute, since another machine rounds otherwise.
const RELATIVE_TOLERANCE: f64 = 1e-9;

impl Audit {
    /// Reads the arrivals and departures up to a step. Those that came with the step are compared with those
    /// that were due, where the state before is known.
    pub(super) fn read_flow(
        &mut self,
        table: &mut FlowTable,
        step: usize,
        is_known_before: bool,
    ) -> Result<()> {
        self.flow.clear();
        let mut has_changed = false;
        if let Some(table) = table {
            while table.step_ahead().is_some_and(|ahead| ahead < step) {
                table.next_step()?;
                has_changed |= self.let_out();
                for row in table.rows() {
                    has_changed |= self.read_event(table, row)?;
                }
            }
        }
        has_changed |= self.let_out();
        let mut expected = Vec::new();
        if is_known_before {
            let now = SceneAtStep { scene: &self.scene, state: &self.before, step: step - 1 };
            bodies_due(now, self.next_id, &mut self.ports.clone(), &mut expected);
        }
        if let Some(table) = table.as_mut().filter(|table| table.step_ahead() == Some(step)) {
            table.next_step()?;
            self.flow.extend_from_slice(table.rows());
            for row in table.rows() {
                has_changed |= self.read_event(table, row)?;
            }
        }
        if is_known_before {
            self.compare(step, &expected, |event| event != FlowEvent::Out);
        }
        if has_changed {
            self.has_row.resize(self.scene.bodies.len(), false);
            self.referee = Referee::of_records(&self.scene);
            self.advisor = Advisor::new(&self.scene);
        }
        Ok(())
    }

    /// Compares the bodies that left with a step with the bodies in an outlet at its end.
    pub(super) fn check_leaving(&mut self, step: usize) {
        let mut expected = Vec::new();
        for (index, id) in self.ids.iter().enumerate() {
            let since = self.ports.entry_times.get(id).copied().unwrap_or(0.0);
            let record = leaving_record(&self.scene, &self.after, &self.contacts, index);
            expected.extend(record.map(|record| FlowRecord { since, ..record }));
        }
        let is_out = |row: &FlowRow<'_>| row.event == FlowEvent::Out.as_str();
        if !self.flow.is_sorted_by_key(is_out) {
            self.report.contradict(names::FLOW, step, "bodies that leave stand before others");
        }
        self.compare(step, &expected, |event| event == FlowEvent::Out);
    }

    /// Reports rows of steps after the last one whose bodies are recorded.
    pub(super) fn finish_flow(&mut self, table: &mut FlowTable, taken: usize) -> Result<()> {
        let Some(table) = table else { return Ok(()) };
        while let Some(step) = table.next_step()? {
            if step > taken {
                self.report
                    .fault(names::FLOW, format!("step {step} has rows, {} has none of it", names::STEPS));
                break;
            }
            self.let_out();
            for row in table.rows() {
                self.read_event(table, row)?;
            }
        }
        Ok(())
    }

    /// Takes out the bodies that left with an earlier step; returns whether any did.
    fn let_out(&mut self) -> bool {
        let leaving = std::mem::take(&mut self.ports.leaving);
        for id in &leaving {
            let Ok(index) = self.ids.binary_search(id) else { continue };
            let remaining = self.scene.take_out(index);
            self.triggers.keep(&remaining.impulses);
            for state in [&mut self.before, &mut self.after] {
                state.poses.remove(index);
                state.velocities.remove(index);
            }
            self.ids.remove(index);
            self.ports.entry_times.remove(id);
        }
        if !leaving.is_empty() {
            let names = self.scene.bodies.iter().enumerate();
            self.names = names.map(|(i, body)| (body.name.clone(), i)).collect();
        }
        !leaving.is_empty()
    }

    /// Applies the event of a row; returns whether the set of bodies changed.
    fn read_event(&mut self, table: &StepReader<FlowRow<'static>>, row: &FlowRow<'static>) -> Result<bool> {
        let fault = |message: String| Err(table.fault(row.step, message));
        let known = [FlowEvent::In, FlowEvent::Out, FlowEvent::Wait];
        let Some(event) = known.into_iter().find(|event| event.as_str() == row.event) else {
            return fault(format!("event {:?}: must be in, out or wait", row.event));
        };
        let port = if event == FlowEvent::Out {
            self.scene.outlets.iter().position(|outlet| outlet.name() == row.gate)
        } else {
            self.scene.inlets.iter().position(|inlet| inlet.name() == row.gate)
        };
        let Some(port) = port else {
            return fault(format!("gate {:?} is not in {}", row.gate, names::SCENE));
        };
        let time = time_of(event, row.step, self.scene.time_step);
        if !is_time(row.time, time, &self.scene) {
            let what = format!("{:?}: time = {:e} s, must be {time:e}", row.body, row.time);
            self.report.contradict(names::FLOW, row.step, what);
        }
        let (mass, due, contacts) = (row.mass, row.since, row.contacts);
        self.tally.add(&PortEvent { kind: event, port, mass, time, due, contacts });
        match event {
            FlowEvent::In => self.let_in(table, row, port)?,
            FlowEvent::Wait => self.ports.queues[port].is_waiting = true,
            FlowEvent::Out => {
                let index = self.body(table, row.step, &row.body)?;
                self.ports.leaving.push(self.ids[index]);
                let known = self.scene.bodies[index].mass;
                if mass != known {
                    let what = format!("{:?}: mass = {mass:e}, it has {known:e}", row.body);
                    self.report.contradict(names::FLOW, row.step, what);
                }
            }
        }
        Ok(event == FlowEvent::In)
    }

    /// Takes in a body. Its shape, size and material come from the inlet's generator, not from the row.
    fn let_in(
        &mut self,
        table: &StepReader<FlowRow<'static>>,
        row: &FlowRow<'static>,
        port: usize,
    ) -> Result<()> {
        let (inlet, queue) = (&self.scene.inlets[port], &mut self.ports.queues[port]);
        let Some((pose, velocity)) = place(row) else {
            return Err(table.fault(row.step, format!("{:?} comes in without a place", row.body)));
        };
        let (shape, scale) = inlet.draw(self.scene.seed, port, queue.next);
        let name = inlet.body_name(queue.next);
        let mut body = inlet.grains.body(name, &inlet.grains.form(shape, scale), pose);
        let is_drawn =
            row.body == body.name && row.shape == shape && same(row.scale, scale, RELATIVE_TOLERANCE * scale);
        if !is_drawn || !same(row.mass, body.mass, RELATIVE_TOLERANCE * body.mass) {
            let what = format!(
                "{:?} of shape {shape}, scale {:e} and mass {:e}: inlet {:?} gives {:?} of shape {shape}, scale \
                 {scale:e} and mass {:e}",
                row.body, row.scale, row.mass, row.gate, body.name, body.mass
            );
            self.report.contradict(names::FLOW, row.step, what);
        }
        // The body gets the row's name, even if the generator gives another one.
        body.name = row.body.to_string();
        body.velocity = velocity;
        queue.pass(body.mass);
        if self.names.insert(body.name.clone(), self.ids.len()).is_some() {
            return Err(table.fault(row.step, format!("{:?} comes in twice", row.body)));
        }
        for state in [&mut self.before, &mut self.after] {
            state.poses.push(pose);
            state.velocities.push(velocity);
        }
        self.scene.bodies.push(body);
        let id = BodyId::new(self.next_id);
        self.next_id += 1;
        self.ids.push(id);
        self.ports.entry_times.insert(id, time_of(FlowEvent::In, row.step, self.scene.time_step));
        Ok(())
    }

    /// Compares the rows of a step whose events `is_one` selects with the events found.
    fn compare(&mut self, step: usize, expected: &[FlowRecord], is_one: impl Fn(FlowEvent) -> bool) {
        let words =
            [FlowEvent::In, FlowEvent::Out, FlowEvent::Wait].into_iter().filter(|event| is_one(*event));
        let words: Vec<&str> = words.map(FlowEvent::as_str).collect();
        let said: Vec<&FlowRow<'static>> =
            self.flow.iter().filter(|row| words.contains(&row.event.as_ref())).collect();
        let fault = if said.len() == expected.len() {
            let found = expected.iter().map(|record| FlowRow::new(&self.scene, record, step));
            said.iter().zip(found).find_map(|(said, found)| difference(said, &found))
        } else {
            let listed = |names: Vec<&str>| format!("{} ({})", names.len(), names.join(", "));
            let there = listed(said.iter().map(|row| row.body.as_ref()).collect());
            let due = listed(expected.iter().map(|record| record.body.as_str()).collect());
            Some(format!("rows of {}: {there}, found {due}", words.join(" and ")))
        };
        if let Some(what) = fault {
            self.report.contradict(names::FLOW, step, what);
        }
    }
}

/// Pose and velocity with which a body came or left.
pub fn place(row: &FlowRow<'_>) -> Option<(Pose, Velocity)> {
    // The quaternion is kept as written: renormalising would move the last bit.
    let orientation = Unit::new_unchecked(Quaternion::new(row.qw?, row.qx?, row.qy?, row.qz?));
    let linear = Vector3::new(row.vx?, row.vy?, row.vz?);
    let angular = Vector3::new(row.wx?, row.wy?, row.wz?);
    Some((Pose { position: Vector3::new(row.x?, row.y?, row.z?), orientation }, Velocity { linear, angular }))
}

/// Describes the first column in which a row differs from the event found.
fn difference(said: &FlowRow<'_>, found: &FlowRow<'_>) -> Option<String> {
    let wrong = |column: &str, said: String, found: String| format!("{column} = {said}, found {found}");
    for (column, s, f) in [
        ("event", &said.event, &found.event),
        ("gate", &said.gate, &found.gate),
        ("body", &said.body, &found.body),
    ] {
        if s != f {
            return Some(wrong(column, format!("{s:?}"), format!("{f:?}")));
        }
    }
    if (said.shape, said.contacts) != (found.shape, found.contacts) {
        let text = |row: &FlowRow<'_>| format!("{}, {}", row.shape, row.contacts);
        return Some(format!("{:?}: {}", said.body, wrong("shape, contacts", text(said), text(found))));
    }
    let numbers = |row: &FlowRow<'_>| -> [(&'static str, Option<f64>); 17] {
        [
            ("mass", Some(row.mass)),
            ("since", Some(row.since)),
            ("scale", Some(row.scale)),
            ("x", row.x),
            ("y", row.y),
            ("z", row.z),
            ("qw", row.qw),
            ("qx", row.qx),
            ("qy", row.qy),
            ("qz", row.qz),
            ("vx", row.vx),
            ("vy", row.vy),
            ("vz", row.vz),
            ("wx", row.wx),
            ("wy", row.wy),
            ("wz", row.wz),
            ("impulse", Some(row.impulse)),
        ]
    };
    let pairs = numbers(said).into_iter().zip(numbers(found));
    pairs.into_iter().find_map(|((column, s), (_, f))| {
        let tolerance =
            RELATIVE_TOLERANCE * f.map_or(0.0, |f| f.abs().max(if column == "mass" { 0.0 } else { 1.0 }));
        let agree = match (s, f) {
            (Some(s), Some(f)) => same(s, f, tolerance),
            (s, f) => s == f,
        };
        let text = |x: Option<f64>| x.map_or("nothing".to_owned(), |x| format!("{x:e}"));
        (!agree).then(|| format!("{:?}: {}", said.body, wrong(column, text(s), text(f))))
    })
}
