//! Check of `times.csv`, which is outside the chain, because no two runs take the same time.

use super::report::AuditReport;
use super::steps_table::missing;
use crate::output::rows::TimeRow;
use crate::output::{Summary, names, table};
use signorini_error::Result;
use std::path::Path;

/// Reads the times of `taken` steps and adds them to the sums.
pub fn read(folder: &Path, taken: usize, sums: &mut Summary, report: &mut AuditReport) -> Result<()> {
    let path = folder.join(names::TIMES);
    if !path.exists() {
        report.fault(names::TIMES, "is missing");
        return Ok(());
    }
    let mut next = 1;
    let outcome = table::read(&path, |row: TimeRow| {
        // A killed run may have recorded the time of a step that no other table has.
        if row.step > taken {
            return;
        }
        if row.step != next {
            report.fault(names::TIMES, format!("step {} where step {next} is due", row.step));
        }
        next = row.step + 1;
        let seconds = [
            row.wall_seconds,
            row.referee_seconds,
            row.broad_seconds,
            row.geometry_seconds,
            row.assembly_seconds,
            row.factor_seconds,
            row.solve_seconds,
        ];
        if !seconds.iter().all(|s| s.is_finite() && *s >= 0.0) {
            report.contradict(names::TIMES, row.step, "a time is negative or not finite".to_owned());
        }
        sums.add_times(&row);
    });
    if let Err(error) = outcome {
        report.fault(names::TIMES, error);
    } else if next <= taken {
        report.fault(names::TIMES, missing(next, taken));
    }
    Ok(())
}
