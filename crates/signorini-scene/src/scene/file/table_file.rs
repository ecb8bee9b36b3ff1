//! A table (CSV) that a scene file names: its columns by name, its rows one after the other, and faults with
//! line and column.

use super::report::Check;
use super::suggest::suggestion;
use csv::{ReaderBuilder, StringRecord, Trim};
use signorini_error::{Error, Result, open_regular};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Mark at the start of some files.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A table that is read.
pub struct TableFile {
    reader: csv::Reader<File>,
    header: Vec<String>,
    columns: Rc<Columns>,
}

/// The columns of a table.
struct Columns {
    path: PathBuf,
    /// Places of the columns by name.
    places: HashMap<String, usize>,
}

/// A row of a table.
pub struct Row {
    columns: Rc<Columns>,
    fields: StringRecord,
    /// Line behind the row before, from 1: comments may stand between.
    from: usize,
}

impl TableFile {
    /// Opens a table and reads its header.
    ///
    /// # Errors
    /// When it cannot be read, or names a column twice.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_regular(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let mut reader = ReaderBuilder::new().trim(Trim::All).comment(Some(b'#')).from_reader(file);
        let header = reader.headers().map_err(|error| fault(path, error))?;
        let header: Vec<String> =
            header.iter().map(|name| name.trim_start_matches(BYTE_ORDER_MARK).to_owned()).collect();
        let mut places = HashMap::new();
        for (i, name) in header.iter().enumerate() {
            if places.insert(name.clone(), i).is_some() {
                let line = record_line(path, 1);
                let at = (line, column_of(path, line, i));
                return Err(refused(path, at, "column", &format!("{name:?}"), "must be unique".to_owned()));
            }
        }
        Ok(Self { reader, header, columns: Rc::new(Columns { path: path.to_owned(), places }) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.columns.path
    }

    /// Names of the columns, in their order.
    pub fn names(&self) -> &[String] {
        &self.header
    }

    /// Checks that all columns are known, that none is missing, and that those that stand together do.
    ///
    /// # Errors
    /// All columns that are at fault.
    pub fn check_columns(&self, required: &[&str], optional: &[&str], together: &[&[&str]]) -> Result<()> {
        let mut faults = Vec::new();
        let path = self.path();
        let line = record_line(path, 1);
        let mut refuse = |column: usize, name: &str, value: &str, allowed: String| {
            faults.push(refused(path, (line, column), name, value, allowed));
        };
        let known = || required.iter().chain(optional).copied();
        for (i, name) in self.header.iter().enumerate().filter(|(_, name)| !known().any(|k| k == *name)) {
            let guess = suggestion(name, known());
            let list = known().collect::<Vec<_>>().join(", ");
            let column = column_of(path, line, i);
            refuse(column, "column", &format!("{name:?}"), format!("no such column{guess}; known: {list}"));
        }
        let is_there = |name: &&str| self.columns.places.contains_key(*name);
        for name in required.iter().filter(|name| !is_there(name)) {
            refuse(1, name, "absent", "the table needs this column".to_owned());
        }
        for group in together.iter().filter(|group| group.iter().any(&is_there)) {
            for name in group.iter().filter(|name| !is_there(name)) {
                refuse(1, name, "absent", format!("the columns {} stand together", group.join(", ")));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(Error::all(faults)) }
    }

    /// The next row; None behind the last.
    ///
    /// # Errors
    /// When it cannot be read, or has another number of fields than the header.
    pub fn next_row(&mut self) -> Result<Option<Row>> {
        let mut fields = StringRecord::new();
        let is_there =
            self.reader.read_record(&mut fields).map_err(|error| fault(&self.columns.path, error))?;
        let from = fields.position().map_or(1, |position| position.line() as usize);
        Ok(is_there.then(|| Row { columns: Rc::clone(&self.columns), fields, from }))
    }

    /// A fault of the whole file.
    pub fn fault_of_file(&self, message: &str) -> Error {
        Error::Parse { file: self.columns.path.clone(), message: message.to_owned() }
    }
}

impl Row {
    /// The text in a column; None where it is empty or the column is not there.
    pub fn text(&self, column: &str) -> Option<&str> {
        let text = self.fields.get(*self.columns.places.get(column)?)?;
        (!text.is_empty()).then_some(text)
    }

    /// The number in a column, or the default where the column is not there. What is no finite number is a
    /// fault.
    pub fn number(&self, column: &str, default: f64, check: &mut Check) -> f64 {
        let Some(text) = self.columns.places.get(column).and_then(|place| self.fields.get(*place)) else {
            return default;
        };
        match text.parse() {
            Ok(number) => check.finite(column, number),
            Err(_) => {
                check.fault(column, format!("{text:?}"), "must be a number");
                default
            }
        }
    }

    /// A fault of the whole row.
    pub fn fault(&self, field: &str, value: &str, allowed: String) -> Error {
        let path = &self.columns.path;
        refused(path, (record_line(path, self.from), 1), field, value, allowed)
    }

    /// The faults of an error about fields of this row, with line and column.
    pub fn located(&self, error: Error) -> Vec<Error> {
        match error {
            Error::Many(all) => all.into_iter().flat_map(|error| self.located(error)).collect(),
            Error::Field { file, field, value, allowed, .. } => {
                let name = field.rsplit_once(": ").map_or(field.as_str(), |(_, name)| name);
                let (path, place) = (&self.columns.path, self.columns.places.get(name));
                let line = record_line(path, self.from);
                let column = place.map_or(1, |place| column_of(path, line, *place));
                vec![Error::Field { file, at: Some((line, column)), field, value, allowed }]
            }
            other => vec![other],
        }
    }
}

fn refused(path: &Path, at: (usize, usize), field: &str, value: &str, allowed: String) -> Error {
    Error::Field { file: path.to_owned(), at: Some(at), field: field.into(), value: value.into(), allowed }
}

fn fault(path: &Path, error: csv::Error) -> Error {
    let line = error.position().map_or(1, |position| record_line(path, position.line() as usize));
    let text = error.to_string();
    let message = match error.into_kind() {
        csv::ErrorKind::Io(source) => return Error::Io { path: path.to_owned(), source },
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields, where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "is not UTF-8 text".to_owned(),
        _ => text,
    };
    Error::Syntax { file: path.to_owned(), line, column: 1, message }
}

/// Line on which a record is that begins on a line or after it: the first that is no comment and not empty.
fn record_line(path: &Path, from: usize) -> usize {
    let is_record = |line: &String| !line.trim().is_empty() && !line.starts_with('#');
    let found = lines(path).skip(from.saturating_sub(1)).position(|line| is_record(&line));
    found.map_or(from, |i| from + i)
}

/// Column (characters, from 1) at which a field begins. The file is read again: faults are rare.
fn column_of(path: &Path, line: usize, field: usize) -> usize {
    let text = lines(path).nth(line.saturating_sub(1)).unwrap_or_default();
    let (mut quoted, mut left) = (false, field);
    for (i, c) in text.chars().enumerate() {
        if left == 0 && c != ' ' && c != BYTE_ORDER_MARK {
            return i + 1;
        }
        quoted ^= c == '"';
        left -= usize::from(left > 0 && c == ',' && !quoted);
    }
    text.chars().count() + 1
}

/// Lines of a file, as far as they are text.
fn lines(path: &Path) -> impl Iterator<Item = String> {
    open_regular(path)
        .ok()
        .into_iter()
        .flat_map(|file| BufReader::new(file).lines())
        .map_while(|line| line.ok())
}
