//! Result of a sweep: a number from the tables of a run.

use crate::output::{names, table};
use serde::Deserialize;
use signorini_error::{Error, Result};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use toml::Value;

/// Column of every table of a sweep before the columns of values.
pub const FRONT: &str = "case";
/// Columns between those of values and those of results.
pub const BEHIND: [&str; 9] = [
    "outcome",
    "message",
    "steps",
    "solved_steps",
    "halved_steps",
    "unsolved_steps",
    "red_steps",
    "worst_residual",
    "min_gap",
];

/// Tables that a result may come from, besides those of the measures of the scene.
const TABLES: [&str; 5] = ["bodies", "contacts", "joints", "steps", "flow"];
const ALLOWED: &str = "must be bodies, contacts, joints, steps, flow, or measure-NAME of the scene";

/// Number that is found in a table of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepResult {
    /// Column of the result in the table of the sweep.
    pub name: String,
    /// Table that is read: `bodies`, `contacts`, `joints`, `steps`, `flow`, or `measure-NAME` of a
    /// `[[measure]]` of the scene.
    table: String,
    /// Column that is read.
    column: String,
    /// Rows that count: those with these words or numbers, by column.
    #[serde(default)]
    r#where: BTreeMap<String, Value>,
    /// Reduction of the rows that count to one number.
    reduce: Reduce,
}

/// Reduction of the numbers of many rows to one.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reduce {
    First,
    Last,
    Min,
    Max,
    Mean,
    Sum,
    Count,
}

impl SweepResult {
    /// Checks the result as far as possible without a run; the error is the field, its value and what is
    /// allowed.
    pub fn check(&self, columns: &[String]) -> std::result::Result<(), (&'static str, String, &'static str)> {
        let is_of_scene =
            names::is_measure(&format!("{}.csv", self.table)) && !self.table.contains(['/', '\\']);
        if !TABLES.contains(&self.table.as_str()) && !is_of_scene {
            return Err(("table", format!("{:?}", self.table), ALLOWED));
        }
        let taken =
            columns.contains(&self.name) || self.name == FRONT || BEHIND.contains(&self.name.as_str());
        if taken {
            return Err(("name", format!("{:?}", self.name), "is a column of the table already"));
        }
        Ok(())
    }

    /// Reads the number from the tables of a run; None when no row counts.
    ///
    /// # Errors
    /// When the table cannot be read, or lacks a column of the result.
    pub fn value(&self, folder: &Path) -> Result<Option<f64>> {
        let path = folder.join(format!("{}.csv", self.table));
        let missing = |column: &str| Error::Parse {
            file: path.clone(),
            message: format!("there is no column {column:?}, which the result {:?} names", self.name),
        };
        let wanted: Vec<(&String, String)> = self.r#where.iter().map(|(k, v)| (k, plain(v))).collect();
        let (mut sum, mut n_fields, mut n_numbers, mut found) = (0.0, 0_usize, 0_usize, None::<f64>);
        let mut failure = None;
        table::read(&path, |row: HashMap<String, String>| {
            for (column, word) in &wanted {
                match row.get(*column) {
                    Some(field) if is_same(field, word) => {}
                    Some(_) => return,
                    None => failure = failure.take().or_else(|| Some(missing(column))),
                }
            }
            let Some(field) = row.get(&self.column) else {
                failure = failure.take().or_else(|| Some(missing(&self.column)));
                return;
            };
            // An empty field does not count; a word raises only the count.
            if field.is_empty() {
                return;
            }
            n_fields += 1;
            let Ok(number) = field.parse::<f64>() else { return };
            n_numbers += 1;
            sum += number;
            found = Some(match (self.reduce, found) {
                (Reduce::First, Some(first)) => first,
                (Reduce::Min, Some(least)) => least.min(number),
                (Reduce::Max, Some(most)) => most.max(number),
                _ => number,
            });
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        Ok(match self.reduce {
            Reduce::Count => Some(n_fields as f64),
            Reduce::Sum => found.map(|_| sum),
            Reduce::Mean => found.map(|_| sum / n_numbers as f64),
            _ => found,
        })
    }
}

/// Returns a word or number as a table writes it.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether a field holds the given word, or the number equal to it.
fn is_same(field: &str, word: &str) -> bool {
    field == word || matches!((field.parse::<f64>(), word.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column may hold words beside numbers: the words have a count, and no mean.
    #[test]
    fn words_count_and_leave_the_mean_of_the_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("flow.csv"), "shape,x\n0,1\n0,moved\n1,7\n0,\n0,3\n")
            .expect("a table");
        let reduced = |reduce: Reduce| {
            let r#where = BTreeMap::from([("shape".to_owned(), Value::Integer(0))]);
            let (name, table, column) = ("m".to_owned(), "flow".to_owned(), "x".to_owned());
            SweepResult { name, table, column, r#where, reduce }.value(folder.path()).expect("a number")
        };
        assert_eq!(reduced(Reduce::Mean), Some(2.0));
        assert_eq!((reduced(Reduce::Count), reduced(Reduce::Sum)), (Some(3.0), Some(4.0)));
        assert_eq!((reduced(Reduce::First), reduced(Reduce::Last)), (Some(1.0), Some(3.0)));
    }
}
