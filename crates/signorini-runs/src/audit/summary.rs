//! Check of `summary.json` against the sums over `steps.csv`, the scene and the chain.

use super::report::AuditReport;
use super::steps_table::same;
use crate::output::names;
use crate::output::{ExitReason, Summary};
use serde_json::Value;
use signorini_error::{Error, Result, open_regular};
use signorini_scene::scene::LONGEST_FILE;
use std::io::Read;
use std::path::Path;

/// Relative tolerance of sums.
const RELATIVE_TOLERANCE: f64 = 1e-9;

/// Fields that no other file of the folder contains.
const FIELDS_OF_SUMMARY_ONLY: [&str; 9] = [
    "version",
    "scene",
    "backend",
    "device",
    "wall_seconds",
    "write_seconds",
    "exit_reason",
    "chain",
    "seal",
];

/// Reads the summary of a run, if the run wrote one.
pub fn read(folder: &Path, report: &mut AuditReport) -> Result<Option<Summary>> {
    let path = folder.join(names::SUMMARY);
    let read = open_regular(&path).and_then(|file| std::io::read_to_string(file.take(LONGEST_FILE)));
    let text = match read {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == std::io::ErrorKind::InvalidData => String::new(),
        Err(source) => return Err(Error::Io { path, source }),
    };
    if !Summary::is_sealed(&text) {
        report.fault(names::SUMMARY, "is not as the run wrote it: its seal does not fit");
    }
    match serde_json::from_str(&text) {
        Ok(summary) => Ok(Some(summary)),
        Err(error) => {
            report.fault(names::SUMMARY, format!("cannot be read ({error})"));
            Ok(None)
        }
    }
}

/// Compares the summary with the sums, and with the last link of the chain.
pub fn compare(summary: &Summary, sums: &Summary, last_link: Option<&str>, report: &mut AuditReport) {
    let value = |summary: &Summary| serde_json::to_value(summary).unwrap_or_default();
    compare_values("", &value(summary), &value(sums), report);
    if last_link.is_some_and(|link| link != summary.chain) {
        report.fault(names::SUMMARY, "chain is not the last link of chain.csv");
    }
    let is_complete = summary.steps == summary.planned_steps;
    if (summary.exit_reason == ExitReason::Completed) != is_complete {
        let what = format!(
            "exit_reason = {}, {} of {} steps",
            if summary.exit_reason == ExitReason::Completed { "completed" } else { "interrupted" },
            summary.steps,
            summary.planned_steps
        );
        report.fault(names::SUMMARY, what);
    }
    if summary.wall_seconds.is_nan() || summary.wall_seconds < 0.0 {
        report.fault(names::SUMMARY, format!("wall_seconds = {}", summary.wall_seconds));
    }
}

fn compare_values(path: &str, said: &Value, found: &Value, report: &mut AuditReport) {
    if let (Value::Object(said), Value::Object(found)) = (said, found) {
        for (field, found) in found {
            if path.is_empty() && FIELDS_OF_SUMMARY_ONLY.contains(&field.as_str()) {
                continue;
            }
            let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            compare_values(&path, said.get(field).unwrap_or(&Value::Null), found, report);
        }
        return;
    }
    if let (Value::Array(said), Value::Array(found)) = (said, found)
        && said.len() == found.len()
    {
        let pairs = said.iter().zip(found).enumerate();
        pairs.for_each(|(k, (said, found))| compare_values(&format!("{path}[{k}]"), said, found, report));
        return;
    }
    let agree = match (said.as_f64(), found.as_f64()) {
        (Some(said), Some(found)) => same(said, found, RELATIVE_TOLERANCE * found.abs()),
        _ => said == found,
    };
    if !agree {
        report.fault(names::SUMMARY, format!("{path} = {said}, the tables give {found}"));
    }
}
