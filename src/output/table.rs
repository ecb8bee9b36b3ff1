//! A CSV file that only ever holds whole rows, and how to read one back.

use super::digest::{Digest, Extent};
use crate::error::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// A CSV table on disk. Rows gather in memory; [`Table::flush`] hands them over in one call.
#[derive(Debug)]
pub struct Table {
    writer: csv::Writer<WholeRows>,
    path: PathBuf,
}

impl Table {
    /// Creates (or empties) the file and writes the header.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: PathBuf, columns: &[&str]) -> Result<Self> {
        let file = File::create(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        Self::write_into(file, path, columns)
    }

    /// Writes the header into an empty file at `path`.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_into(file: File, path: PathBuf, columns: &[&str]) -> Result<Self> {
        let rows = WholeRows { pending: Vec::new(), file, length: 0, digest: Digest::default() };
        let writer = csv::WriterBuilder::new().has_headers(false).from_writer(rows);
        let mut table = Self { writer, path };
        table.writer.write_record(columns).map_err(|e| table.fault(e.into()))?;
        table.flush()?;
        Ok(table)
    }

    /// Appends a row; it reaches the file at the next [`Table::flush`].
    ///
    /// # Errors
    /// When the row cannot be serialised.
    pub fn push<R: Serialize>(&mut self, row: &R) -> Result<()> {
        self.writer.serialize(row).map_err(|e| self.fault(e.into()))
    }

    /// Hands all rows gathered so far to the operating system, in one call.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|e| self.fault(e))
    }

    /// All that was handed over so far.
    pub fn extent(&self) -> Extent {
        let rows = self.writer.get_ref();
        Extent { length: rows.length, digest: rows.digest.value() }
    }

    fn fault(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

/// The sink under the CSV writer. The writer empties its own buffer whenever it is full, that is in
/// the middle of a row; gathering those pieces here is what keeps rows whole in the file.
#[derive(Debug)]
struct WholeRows {
    pending: Vec<u8>,
    file: File,
    /// Bytes of whole rows in the file.
    length: u64,
    /// Of those.
    digest: Digest,
}

impl Write for WholeRows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let outcome = self.file.write_all(&self.pending);
        match outcome {
            Ok(()) => {
                self.length += self.pending.len() as u64;
                self.digest.take(&self.pending);
            }
            // A disk that fills up takes a part: give that back, the rows before stay whole. Should even
            // that fail, the first error is the one to report.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        self.pending.clear();
        outcome
    }
}

/// Reads a table row by row. A last line without its newline is left out: it can only come from a
/// process that was killed while the operating system was copying it.
///
/// # Errors
/// When the file cannot be read, or a row does not have the columns of `R`.
pub fn read<R: DeserializeOwned>(path: &Path, mut each: impl FnMut(R)) -> Result<()> {
    let fault = |source: io::Error| Error::Io { path: path.to_owned(), source };
    let whole = whole_length(path).map_err(fault)?;
    let file = io::Read::take(File::open(path).map_err(fault)?, whole);
    for row in csv::Reader::from_reader(BufReader::new(file)).into_deserialize() {
        each(row.map_err(|e| Error::Parse { file: path.to_owned(), message: e.to_string() })?);
    }
    Ok(())
}

/// Bytes up to and including the last newline.
///
/// # Errors
/// When the file cannot be read.
pub fn whole_length(path: &Path) -> io::Result<u64> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    let mut end = file.metadata()?.len();
    let mut block = [0u8; 4096];
    while end > 0 {
        let n = end.min(block.len() as u64);
        file.seek(SeekFrom::Start(end - n))?;
        let block = &mut block[..n as usize];
        file.read_exact(block)?;
        if let Some(i) = block.iter().rposition(|&b| b == b'\n') {
            return Ok(end - n + i as u64 + 1);
        }
        end -= n;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::fs;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Row {
        name: String,
        value: f64,
    }

    #[test]
    fn floats_and_names_survive_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut table = Table::create(path.clone(), &["name", "value"]).unwrap();
        let values = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1.0 / 3.0, 1e23, f64::INFINITY];
        for value in values {
            table.push(&Row { name: "a, \"b\"\nc".into(), value }).unwrap();
        }
        table.flush().unwrap();
        let mut found = Vec::new();
        read(&path, |row: Row| found.push(row)).unwrap();
        assert_eq!(found.len(), values.len());
        for (row, value) in found.iter().zip(values) {
            assert_eq!(row.name, "a, \"b\"\nc");
            assert_eq!(row.value.to_bits(), value.to_bits());
        }
    }

    #[test]
    fn the_file_holds_whole_rows_at_any_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut table = Table::create(path.clone(), &["name", "value"]).unwrap();
        // Far more than the CSV writer's own 8 KiB buffer.
        for i in 0..3000 {
            table.push(&Row { name: format!("body{i}"), value: 0.1 }).unwrap();
            if i == 1499 {
                table.flush().unwrap();
            }
        }
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1501);
        assert!(text.ends_with("body1499,0.1\n"));
    }

    #[test]
    fn a_torn_last_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        fs::write(&path, "name,value\na,1\nb,2\nc,3.1").unwrap();
        let mut found = Vec::new();
        read(&path, |row: Row| found.push(row.name)).unwrap();
        assert_eq!(found, ["a", "b"]);
    }
}
