//! Tables of a run as columns.

use crate::errors::raise;
use crate::faults::compute;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde::Serialize;
use signorini::Error;
use signorini::measure::{Value, name_in, rounded};
use signorini_runs::open_table;
use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// A column in the making.
enum Column {
    Numbers(Vec<f64>),
    Wholes(Vec<i64>),
    /// Place of each word among the words that occur, in the order of their first occurrence.
    Words {
        places: Vec<i64>,
        words: Vec<String>,
        known: HashMap<String, i64>,
    },
}

impl Column {
    fn push(&mut self, field: &str) -> Result<(), String> {
        match self {
            Self::Numbers(numbers) if field.is_empty() => numbers.push(f64::NAN),
            Self::Numbers(numbers) => {
                numbers.push(field.parse().map_err(|_| format!("{field:?} is no number"))?)
            }
            Self::Wholes(numbers) => {
                numbers.push(field.parse().map_err(|_| format!("{field:?} is no whole number"))?);
            }
            Self::Words { places, words, known } => {
                let field = name_in(field);
                let place = match known.get(field) {
                    Some(place) => *place,
                    None => {
                        let place = words.len() as i64;
                        words.push(field.to_owned());
                        known.insert(field.to_owned(), place);
                        place
                    }
                };
                places.push(place);
            }
        }
        Ok(())
    }
}

type Columns = Vec<(String, Column)>;

/// Reads a table of a run, a dict of its columns: arrays of numbers, NaN where there is none, or (places,
/// words). A last line without its newline is left out. None where the run has no such table.
#[pyfunction]
pub fn read_table<'py>(
    py: Python<'py>,
    folder: PathBuf,
    name: &str,
    words: Vec<String>,
    wholes: Vec<String>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let columns = compute(py, || read(&folder, name, &words, &wholes))?.map_err(raise)?;
    columns.map(|columns| dict_of(py, columns)).transpose()
}

/// Rows as a table, as of [`read_table`]: names of the columns, of those that hold words, and of those that
/// hold whole numbers.
pub fn table_of<'py, R: Serialize>(
    py: Python<'py>,
    rows: impl IntoIterator<Item = R>,
    names: &[&str],
    [words, wholes]: [&[&str]; 2],
) -> PyResult<Bound<'py, PyDict>> {
    let fault = |message: String| raise(Error::Usage { what: "table".to_owned(), allowed: message });
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(names).map_err(|e| fault(e.to_string()))?;
    rows.into_iter().try_for_each(|row| writer.serialize(row)).map_err(|e| fault(e.to_string()))?;
    let text = writer.into_inner().map_err(|e| fault(e.to_string()))?;
    let owned = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let columns = columns_of(&text[..], Path::new("table"), &owned(words), &owned(wholes));
    dict_of(py, columns.map_err(raise)?)
}

/// Rows of a measure as a dict of its columns: arrays of numbers, NaN where there is none, lists of names.
pub fn columns_of_rows<'py>(
    py: Python<'py>,
    names: &[&str],
    rows: &[Vec<Value>],
) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for (k, name) in names.iter().enumerate() {
        let column: Vec<&Value> = rows.iter().filter_map(|row| row.get(k)).collect();
        if column.iter().any(|value| matches!(value, Value::Name(_))) {
            let word = |value: &&Value| match value {
                Value::Name(word) => word.clone(),
                _ => String::new(),
            };
            table.set_item(*name, column.iter().map(word).collect::<Vec<_>>())?;
            continue;
        }
        let number = |value: &&Value| match value {
            Value::Count(n) => *n as f64,
            Value::Number(x) => *x,
            Value::Rounded { number, digits } => rounded(*number, *digits),
            Value::Name(_) | Value::Nothing => f64::NAN,
        };
        table.set_item(*name, PyArray1::from_vec(py, column.iter().map(number).collect()))?;
    }
    Ok(table)
}

fn dict_of(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyDict>> {
    let table = PyDict::new(py);
    for (name, column) in columns {
        match column {
            Column::Numbers(numbers) => table.set_item(name, PyArray1::from_vec(py, numbers))?,
            Column::Wholes(numbers) => table.set_item(name, PyArray1::from_vec(py, numbers))?,
            Column::Words { places, words, .. } => {
                let places = PyArray1::from_vec(py, places);
                table.set_item(
                    name,
                    PyTuple::new(py, [places.into_any(), words.into_pyobject(py)?.into_any()])?,
                )?;
            }
        }
    }
    Ok(table)
}

fn read(
    folder: &Path,
    name: &str,
    words: &[String],
    wholes: &[String],
) -> signorini::Result<Option<Columns>> {
    let Some(text) = open_table(folder, name)? else { return Ok(None) };
    columns_of(BufReader::new(text), &folder.join(name), words, wholes).map(Some)
}

/// The columns of a text, of which messages name the file.
fn columns_of(
    text: impl Read,
    path: &Path,
    words: &[String],
    wholes: &[String],
) -> signorini::Result<Columns> {
    let fault = |message: String| Error::Parse { file: path.to_owned(), message };
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|e| fault(e.to_string()))?.clone();
    let empty = |name: &str| {
        let is_in = |list: &[String]| list.iter().any(|other| other == name);
        match (is_in(words), is_in(wholes)) {
            (true, _) => Column::Words { places: Vec::new(), words: Vec::new(), known: HashMap::new() },
            (_, true) => Column::Wholes(Vec::new()),
            _ => Column::Numbers(Vec::new()),
        }
    };
    let mut columns: Columns = header.iter().map(|name| (name.to_owned(), empty(name))).collect();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(|e| fault(e.to_string()))? {
        let line = row.position().map_or(0, csv::Position::line);
        for ((name, column), field) in columns.iter_mut().zip(&row) {
            column.push(field).map_err(|message| fault(format!("line {line}: {name}: {message}")))?;
        }
    }
    Ok(columns)
}
