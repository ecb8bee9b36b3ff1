//! Check of `summary.json` against the sums over `steps.csv`, the scene and the chain.

use super::claims::same;
use super::report::AuditReport;
use crate::output::names;
use crate::output::{ExitReason, Summary};
use serde_json::Value;
use signorini_error::{Error, Result};
use std::path::Path;

/// Relative tolerance of sums.
const SAME: f64 = 1e-9;

/// Fields that no other file of the folder contains.
const ONLY_HERE: [&str; 9] = [
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
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == std::io::ErrorKind::InvalidData => String::new(),
        Err(source) => return Err(Error::Io { path, source }),
    };
    if !Summary::is_sealed(&text) {
        report.fault(names::SUMMARY, "is not as the run wrote it: its seal does not fit");
    }
    match serde_json::from_str(&text) {
        Ok(page) => Ok(Some(page)),
        Err(error) => {
            report.fault(names::SUMMARY, format!("cannot be read ({error})"));
            Ok(None)
        }
    }
}

/// Compares the summary with the sums, and with the last link of the chain.
pub fn compare(page: &Summary, sums: &Summary, last_link: Option<&str>, report: &mut AuditReport) {
    let value = |page: &Summary| serde_json::to_value(page).unwrap_or_default();
    walk("", &value(page), &value(sums), report);
    if last_link.is_some_and(|link| link != page.chain) {
        report.fault(names::SUMMARY, "chain is not the last link of chain.csv");
    }
    let is_complete = page.steps == page.planned_steps;
    if (page.exit_reason == ExitReason::Completed) != is_complete {
        let what = format!(
            "exit_reason = {}, {} of {} steps",
            if page.exit_reason == ExitReason::Completed { "completed" } else { "interrupted" },
            page.steps,
            page.planned_steps
        );
        report.fault(names::SUMMARY, what);
    }
    if page.wall_seconds.is_nan() || page.wall_seconds < 0.0 {
        report.fault(names::SUMMARY, format!("wall_seconds = {}", page.wall_seconds));
    }
}

fn walk(path: &str, said: &Value, found: &Value, report: &mut AuditReport) {
    if let (Value::Object(said), Value::Object(found)) = (said, found) {
        for (field, found) in found {
            if path.is_empty() && ONLY_HERE.contains(&field.as_str()) {
                continue;
            }
            let path = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
            walk(&path, said.get(field).unwrap_or(&Value::Null), found, report);
        }
        return;
    }
    if let (Value::Array(said), Value::Array(found)) = (said, found)
        && said.len() == found.len()
    {
        let pairs = said.iter().zip(found).enumerate();
        pairs.for_each(|(k, (said, found))| walk(&format!("{path}[{k}]"), said, found, report));
        return;
    }
    let agree = match (said.as_f64(), found.as_f64()) {
        (Some(said), Some(found)) => same(said, found, SAME * found.abs()),
        _ => said == found,
    };
    if !agree {
        report.fault(names::SUMMARY, format!("{path} = {said}, the tables give {found}"));
    }
}
