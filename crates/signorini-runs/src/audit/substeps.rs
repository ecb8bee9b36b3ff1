//! Substeps of a step as `substeps.csv` records them.

use super::tables::StepReader;
use super::{Audit, UNIT_ROUNDING};
use crate::output::names;
use crate::output::rows::SubstepRow;
use signorini::step::{BodyState, Span, Substep};
use signorini_error::Result;

impl Audit {
    /// Reads the substeps of a step: consecutive rows of one island and span are one substep. The referee
    /// judges whether they fit together.
    pub(super) fn read_substeps(
        &mut self,
        table: &mut Option<StepReader<SubstepRow<'static>>>,
        step: usize,
    ) -> Result<()> {
        self.substeps.clear();
        let Some(table) = table else { return Ok(()) };
        let is_there = table.seek(step)?;
        self.note_skipped(table);
        if !is_there {
            return Ok(());
        }
        let (mut last, mut named) = (None, Vec::new());
        for row in table.rows() {
            self.check_instant(names::SUBSTEPS, step, row.time, row.substep_end);
            let (pose, velocity) = row.state();
            if (pose.orientation.norm() - 1.0).abs() > UNIT_ROUNDING {
                let what = format!("orientation of {:?} is not a unit quaternion", row.body);
                return Err(table.fault(step, what));
            }
            let state = BodyState { body: self.body(table, step, &row.body)?, pose, velocity };
            let key = (row.island.as_ref(), row.substep_start.to_bits(), row.substep_end.to_bits());
            match self.substeps.last_mut() {
                // A body equal to the first of the substep starts another substep: two impacts at one instant
                // share a key.
                Some(substep) if last == Some(key) && substep.island() != state.body => {
                    substep.bodies.push(state);
                }
                _ => {
                    let span = Span { start: row.substep_start, end: row.substep_end };
                    self.substeps.push(Substep { span, bodies: vec![state] });
                    named.push(row.island.as_ref());
                }
            }
            last = Some(key);
        }
        for (substep, name) in self.substeps.iter().zip(named) {
            if self.scene.bodies[substep.island()].name != name {
                let what = format!("island = {name:?} is not named after its first body");
                self.report.contradict(names::SUBSTEPS, step, what);
            }
        }
        Ok(())
    }
}
