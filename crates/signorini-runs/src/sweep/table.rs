//! Table of a sweep: a row for each case, finished or not.

use super::case::Outcome;
use super::plan::Plan;
use super::result::{BEHIND, FRONT, plain};
use crate::output::{Summary, names};
use signorini_error::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Writes the table of a sweep as CSV: number and values of each case, its outcome, and its results. An
/// unfinished case has a row too.
///
/// # Errors
/// When a table of a finished run cannot be read, or lacks a column that a result names; or `sink` fails.
pub fn write_table(plan: &Plan, out: &Path, sink: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    let front = std::iter::once(FRONT).chain(plan.columns.iter().map(String::as_str));
    let header = front.chain(BEHIND).chain(plan.results.iter().map(|r| r.name.as_str()));
    writer.write_record(header).map_err(failed)?;
    for number in 1..=plan.n_cases() {
        let case = plan.case(number);
        let folder = case.folder(out);
        let record = case.record(out);
        let mut row = vec![number.to_string()];
        row.extend(case.values.iter().map(plain));
        let Some(record) = record else {
            row.push("missing".to_owned());
            row.extend(vec![String::new(); BEHIND.len() - 1 + plan.results.len()]);
            writer.write_record(&row).map_err(failed)?;
            continue;
        };
        row.extend([record.outcome.as_str().to_owned(), record.message.replace('\n', "; ")]);
        let has_run = matches!(record.outcome, Outcome::Completed | Outcome::Unsolved);
        let summary = if has_run { Some(read_summary(&folder)?) } else { None };
        row.extend(numbers_of(summary.as_ref()));
        for result in &plan.results {
            let value = if has_run { result.value(&folder)? } else { None };
            row.push(value.map_or_else(String::new, |value| format!("{value:?}")));
        }
        writer.write_record(&row).map_err(failed)?;
    }
    writer.flush().map_err(|source| Error::Io { path: "table".into(), source })
}

/// Writes the cases of a plan as CSV: number and values.
///
/// # Errors
/// When `sink` fails.
pub fn write_cases(plan: &Plan, sink: impl Write) -> Result<()> {
    let mut writer = csv::Writer::from_writer(sink);
    writer
        .write_record(std::iter::once(FRONT).chain(plan.columns.iter().map(String::as_str)))
        .map_err(failed)?;
    for case in (1..=plan.n_cases()).map(|number| plan.case(number)) {
        let mut row = vec![case.number.to_string()];
        row.extend(case.values.iter().map(plain));
        writer.write_record(&row).map_err(failed)?;
    }
    writer.flush().map_err(|source| Error::Io { path: "table".into(), source })
}

fn failed(error: csv::Error) -> Error {
    Error::Io { path: "table".into(), source: error.into() }
}

fn read_summary(folder: &Path) -> Result<Summary> {
    let path = folder.join(names::SUMMARY);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
    serde_json::from_str(&text).map_err(|e| Error::Parse { file: path, message: e.to_string() })
}

fn numbers_of(summary: Option<&Summary>) -> [String; 7] {
    let Some(s) = summary else { return Default::default() };
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
    [
        s.steps.to_string(),
        s.solved_steps.to_string(),
        s.halved_steps.to_string(),
        s.unsolved_steps.to_string(),
        s.referee.red.to_string(),
        number(s.worst_residual),
        number(s.min_gap),
    ]
}
