//! Tables and figures of a comparison.

use super::figures;
use super::rows::{CompareRow, Comparison, Trace, TracePoint};
use crate::output::names;
use crate::output::table::Table;
use signorini_error::{Error, Result};
use std::fs;
use std::path::Path;

/// Row of `over_time.csv`: model, step, time, errors as in [`TracePoint`], energy drift.
pub type TraceRow = (super::Model, f64, f64, (f64, f64, f64, f64), f64);

impl Comparison {
    /// Rows of `over_time.csv`, run by run.
    pub fn trace_rows(&self) -> impl Iterator<Item = TraceRow> + '_ {
        self.rows.iter().zip(&self.traces).flat_map(|(row, trace)| {
            let in_row = |p: &TracePoint| {
                let errors = (p.position_error, p.penetration, p.friction_violation, p.energy_error);
                (row.formulation, row.time_step, p.time, errors, p.energy_drift)
            };
            trace.points.iter().map(in_row)
        })
    }

    /// Whether a step of a run, or of the reference, is above its tolerance.
    pub fn has_unsolved(&self) -> bool {
        self.reference_unsolved > 0 || self.rows.iter().any(|row| row.unsolved_steps > 0)
    }

    /// Writes tables and figures into a folder, which is made where there is none.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<()> {
        fs::create_dir_all(out).map_err(|source| Error::Io { path: out.to_owned(), source })?;
        let mut table = Table::create(out.join("compare.csv"), &CompareRow::COLUMNS)?;
        self.rows.iter().try_for_each(|row| table.push(row))?;
        table.flush()?;
        let mut table = Table::create(out.join("over_time.csv"), &Trace::COLUMNS)?;
        self.trace_rows().try_for_each(|row| table.push(&row))?;
        table.flush()?;
        figures::draw(self, &out.join(names::PLOTS)).map(|_| ())
    }
}
