//! Replay of the HDF5 file of a resumed run: the file is written again up to a checkpoint, as the run wrote
//! it, so that it is the same byte for byte when the run goes on.

use super::chain::{ORDER, TABLES};
use super::names;
use super::source;
use super::table::Table;
use super::tables::{TableLocation, TableMarks, Tables};
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// Writes the tables of a folder again, beside the existing file, up to marks; `waiting` are the rows that
/// the file had not taken at the marks.
///
/// # Errors
/// When files cannot be read or written, or their content differs from that at the marks.
pub fn replay(
    folder: &Path,
    scene: &Scene,
    marks: &TableMarks,
    waiting: &[String; TABLES.len()],
) -> Result<Tables> {
    let mut rows = Vec::with_capacity(TABLES.len());
    for ((name, mark), waiting) in TABLES.iter().zip(&marks.chained).zip(waiting) {
        let taken = mark.as_ref().map_or(0, |mark| mark.length.saturating_sub(waiting.len() as u64));
        let waiting = if mark.is_some() { waiting.as_str() } else { "" };
        rows.push(Rows::open(folder.join(name), taken, waiting)?);
    }
    let times = Table::open(folder.join(names::TIMES), &marks.times)?;
    let place = TableLocation::hdf5(folder, names::HDF5_NEW, scene)?;
    let mut tables = Tables::empty(place, scene, times, true)?;
    while let Some(step) = rows.iter().filter_map(|rows| rows.ahead.as_ref()).map(|(step, _)| *step).min() {
        for at in ORDER {
            let own = &mut rows[at];
            if own.ahead.as_ref().is_none_or(|(next, _)| *next != step) {
                continue;
            }
            let table = tables.table(at)?;
            while let Some((_, row)) = own.ahead.take_if(|(next, _)| *next == step) {
                table.push_text(&row)?;
                own.step_on()?;
            }
            table.flush()?;
        }
    }
    for (table, mark) in tables.chained.iter().zip(&marks.chained) {
        if table.as_ref().map(Table::mark) != *mark {
            let path = folder.join(names::HDF5);
            let message = "its rows are not those that the run wrote before the checkpoint".to_owned();
            return Err(Error::Parse { file: path, message });
        }
    }
    Ok(tables)
}

/// Rows of a table with their steps, one after the other.
struct Rows {
    path: PathBuf,
    reader: csv::Reader<Box<dyn Read + Send>>,
    ahead: Option<(u64, csv::StringRecord)>,
}

impl Rows {
    /// Opens the first `taken` bytes of a table, followed by the rows that waited.
    fn open(path: PathBuf, taken: u64, waiting: &str) -> Result<Self> {
        let io = |source| Error::Io { path: path.clone(), source };
        let text: Box<dyn Read + Send> = match source::open(&path) {
            Ok(text) => Box::new(text.take(taken).chain(Cursor::new(waiting.to_owned().into_bytes()))),
            // The header does not exist before the first row.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                Box::new(Cursor::new(format!("step\n{waiting}").into_bytes()))
            }
            Err(e) => return Err(io(e)),
        };
        let reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
        let mut rows = Self { path, reader, ahead: None };
        rows.step_on()?;
        Ok(rows)
    }

    fn step_on(&mut self) -> Result<()> {
        let fault = |message: String| Error::Parse { file: self.path.clone(), message };
        let mut row = csv::StringRecord::new();
        self.ahead = None;
        if self.reader.read_record(&mut row).map_err(|e| fault(e.to_string()))? {
            let step = row.get(0).and_then(|step| step.parse().ok());
            let step = step.ok_or_else(|| fault(format!("a row without a step: {row:?}")))?;
            self.ahead = Some((step, row));
        }
        Ok(())
    }
}
