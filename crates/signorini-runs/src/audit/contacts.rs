//! Contacts of a step as `contacts.csv` records them.

use super::steps_table::is_time;
use super::tables::StepReader;
use super::{Audit, UNIT_ROUNDING};
use crate::output::names;
use crate::output::rows::ContactRow;
use nalgebra::Vector3;
use signorini::step::{ContactRecord, ContactState, Span, StepPhase};
use signorini_error::Result;
use signorini_kernels::math::exceeds;
use signorini_scene::settings::Integrator;

impl Audit {
    /// Reads the contacts of a step.
    pub(super) fn read_contacts(
        &mut self,
        table: &mut StepReader<ContactRow<'static>>,
        step: usize,
    ) -> Result<()> {
        self.contacts.clear();
        let is_there = table.seek(step)?;
        self.note_skipped(table);
        if !is_there {
            return Ok(());
        }
        let is_staggered = self.scene.solver.integrator == Integrator::Staggered;
        for row in table.rows() {
            let (body_a, body_b) =
                (self.body(table, step, &row.body_a)?, self.body(table, step, &row.body_b)?);
            for (column, body, part) in [("part_a", body_a, row.part_a), ("part_b", body_b, row.part_b)] {
                let (name, n) = (&self.scene.bodies[body].name, self.scene.bodies[body].parts.len());
                if part >= n {
                    let fault = format!("{column} = {part}: {name:?} has {n}, numbered from 0");
                    return Err(table.fault(step, fault));
                }
            }
            self.contacts.push(record(table, step, row, [body_a, body_b])?);
            self.check_instant(names::CONTACTS, step, row.time, row.substep_end);
            if let Some(fault) = start_fault(row, is_staggered) {
                let what = format!("{:?} and {:?}: {fault}", row.body_a, row.body_b);
                self.report.contradict(names::CONTACTS, step, what);
            }
        }
        if !self.contacts.is_sorted_by_key(ContactRecord::key) {
            self.report.contradict(names::CONTACTS, step, "rows are not in the order of the bodies");
        }
        if self.scene.solver.formulation.is_exact() {
            self.find_doubles(step);
        }
        Ok(())
    }

    /// Reports pairs with more than one row of the same span and phase.
    fn find_doubles(&mut self, step: usize) {
        let key = |c: &ContactRecord| {
            let sides = [(c.body_a, c.part_a), (c.body_b, c.part_b)];
            let is_swapped = sides[1] < sides[0];
            let image = if is_swapped { c.image.map(i32::wrapping_neg) } else { c.image };
            let sides = (sides[0].min(sides[1]), sides[0].max(sides[1]));
            (sides, image, c.span.start.to_bits(), c.span.end.to_bits(), c.phase.as_str())
        };
        let mut keys: Vec<_> = self.contacts.iter().map(key).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            let [a, b] = [pair[0].0.0, pair[0].0.1].map(|(id, _)| &self.scene.bodies[id].name);
            let what = format!("{a:?} and {b:?} are there twice");
            self.report.contradict(names::CONTACTS, step, what);
        }
    }

    /// Checks that the time of a row is the end of its step, or of a part of the step.
    pub(super) fn check_instant(&mut self, table: &str, step: usize, said: f64, end: f64) {
        let h = self.scene.time_step;
        let instant = step as f64 * h - (1.0 - end) * h;
        if !is_time(said, instant, &self.scene) {
            self.report.contradict(table, step, format!("time = {said:e} s, must be {instant:e}"));
        }
    }

    /// Reports rows of steps that have no bodies.
    pub(super) fn note_skipped<R>(&mut self, table: &mut StepReader<R>) {
        if let Some(passed) = table.take_skipped() {
            let name = table.name().into_owned();
            self.report.fault(&name, format!("step {passed} has rows, {} has none of it", names::BODIES));
        }
    }
}

/// Describes faults of the columns of the staggered integrator: a row must have all of them or none, and none
/// under another integrator.
fn start_fault(row: &ContactRow<'static>, is_staggered: bool) -> Option<String> {
    let columns = [
        row.theta,
        row.start_x,
        row.start_y,
        row.start_z,
        row.start_nx,
        row.start_ny,
        row.start_nz,
        row.slip_turn,
        row.slip_turn_x,
        row.slip_turn_y,
        row.slip_turn_z,
        row.last_slip_x,
        row.last_slip_y,
        row.last_slip_z,
    ];
    let there = columns.iter().filter(|c| c.is_some()).count();
    if there != 0 && (there != columns.len() || !is_staggered) {
        return Some(format!(
            "{there} of the {} columns of the staggered integrator are there",
            columns.len()
        ));
    }
    let acting = row.acting()?;
    let length = acting.normal.norm();
    if exceeds((length - 1.0).abs(), UNIT_ROUNDING) {
        return Some(format!("the normal of the start has length {length:e}"));
    }
    (row.slip_turn != Some(acting.turn.norm()))
        .then(|| "slip_turn is not the length of its vector".to_owned())
}

fn record(
    table: &StepReader<ContactRow<'static>>,
    step: usize,
    row: &ContactRow<'static>,
    [body_a, body_b]: [usize; 2],
) -> Result<ContactRecord> {
    let state = match row.state.as_ref() {
        "open" => ContactState::Open,
        "stick" => ContactState::Stick,
        "slip" => ContactState::Slip,
        other => return Err(table.fault(step, format!("state {other:?}: must be open, stick or slip"))),
    };
    let touch = row
        .touch()
        .ok_or_else(|| table.fault(step, format!("kind {:?}: must be point, line or surface", row.kind)))?;
    let phase = StepPhase::of(&row.phase).ok_or_else(|| {
        table.fault(
            step,
            format!("phase {:?}: must be step, position, impact, compression or expansion", row.phase),
        )
    })?;
    let image = row.image().ok_or_else(|| {
        let told = [row.image_x, row.image_y, row.image_z];
        table.fault(step, format!("image {told:?}: must be whole numbers"))
    })?;
    Ok(ContactRecord {
        phase,
        body_a,
        body_b,
        image,
        part_a: row.part_a,
        part_b: row.part_b,
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
        torsional_radius: row.torsional_radius.unwrap_or_default(),
        rolling_impulse: row.rolling_impulse(),
        cohesion_impulse: row.cohesion_impulse.unwrap_or_default(),
        slip_speed: row.slip_speed,
        state,
        span: Span { start: row.substep_start, end: row.substep_end },
        acting: row.acting(),
        touch,
    })
}
