//! Tables of measures, computed again from the states and contacts of every step.

use super::Audit;
use super::flow::place;
use super::recomputed_measure::RecomputedMeasure;
use super::steps_table::same;
use crate::output::rows::FlowRow;
use signorini::measure::{Observed, Value, name_in};
use signorini::step::{FlowEvent, FlowRecord};

/// Tolerance of numbers over the largest of their row, since another machine rounds otherwise.
const RELATIVE_TOLERANCE: f64 = 1e-9;

impl Audit {
    /// Computes the rows of a step again and compares the tables with them; `is_known` says whether all steps
    /// so far are recorded.
    pub(super) fn check_measures(&mut self, step: usize, is_known: bool) {
        if !is_known && !self.measures.is_empty() {
            let note = "measures: not every step is recorded: not made again".to_owned();
            self.report.notes.push(note);
            self.measures.clear();
        }
        let mut measures = std::mem::take(&mut self.measures);
        let flow = self.flow_records();
        for measure in &mut measures {
            for found in measure.gauge.observe(&self.observed(&flow), step) {
                self.compare_measure_row(measure, step, &found);
            }
        }
        self.measures = measures;
    }

    /// Checks the rows of intervals that the end of the run cut short, and that no row follows them.
    pub(super) fn finish_measures(&mut self, is_finished: bool) {
        let mut measures = std::mem::take(&mut self.measures);
        let (flow, step) = (self.flow_records(), self.report.last_step);
        for measure in measures.iter_mut().filter(|_| is_finished) {
            for found in measure.gauge.finish(&self.observed(&flow), step) {
                self.compare_measure_row(measure, step, &found);
            }
            if measure.rows.next().is_some() {
                self.report.fault(&measure.file, "has rows after the last step");
            }
        }
    }

    fn compare_measure_row(&mut self, measure: &mut RecomputedMeasure, step: usize, found: &[Value]) {
        let said = match measure.rows.next() {
            Some(Ok(row)) => row,
            Some(Err(error)) => return self.report.fault(&measure.file, error),
            None => return self.report.fault(&measure.file, format!("step {step} is missing")),
        };
        let largest = found.iter().fold(0.0_f64, |most, value| match value {
            Value::Number(x) => most.max(x.abs()),
            _ => most,
        });
        let agrees = |said: &str, found: &Value| match found {
            Value::Count(n) => said.parse() == Ok(*n),
            Value::Number(x) => {
                said.parse::<f64>().is_ok_and(|said| same(said, *x, RELATIVE_TOLERANCE * largest))
            }
            // Another machine may round to the next number of as many digits.
            Value::Rounded { number, digits } => {
                let last = number.abs() * f64::powi(10.0, 1 - i32::from(*digits));
                said.parse::<f64>().is_ok_and(|said| same(said, *number, last + RELATIVE_TOLERANCE * largest))
            }
            Value::Name(name) => name_in(said) == name,
            Value::Nothing => said.is_empty(),
        };
        let columns = measure.gauge.columns();
        let wrong = columns
            .iter()
            .zip(found)
            .enumerate()
            .find(|(k, (_, found))| !said.get(*k).is_some_and(|said| agrees(said, found)));
        if let Some((k, (column, found))) = wrong {
            let what = format!("{column} = {}, found {found:?}", said.get(k).unwrap_or_default());
            self.report.contradict(&measure.file, step, what);
        }
    }

    fn observed<'a>(&'a self, flow: &'a [FlowRecord]) -> Observed<'a> {
        Observed {
            scene: &self.scene,
            state: &self.after,
            ids: &self.ids,
            contacts: &self.contacts,
            joints: &self.joints,
            flow,
        }
    }

    /// Records of the bodies that came and left with the step, for the measures.
    fn flow_records(&self) -> Vec<FlowRecord> {
        let record = |row: &FlowRow<'static>| {
            let event = if row.event == FlowEvent::In.as_str() { FlowEvent::In } else { FlowEvent::Out };
            let index = *self.names.get(&*row.body)?;
            let (pose, velocity) = place(row)?;
            Some(FlowRecord {
                event,
                port: 0,
                body: row.body.to_string(),
                id: Some(self.ids[index]),
                mass: row.mass,
                shape: row.shape,
                scale: row.scale,
                pose: Some(pose),
                velocity: Some(velocity),
                since: row.since,
                contacts: row.contacts,
                impulse: row.impulse,
            })
        };
        self.flow.iter().filter_map(record).collect()
    }
}
