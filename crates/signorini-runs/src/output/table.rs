//! A table that only ever holds whole rows, in a CSV file or in an HDF5 file, and its reader.

use super::cells::Cells;
use super::digest::{Digest, Extent};
use super::hdf5::Hdf5Table;
use super::prefix_digest::PrefixDigest;
use super::source;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use signorini_error::{Error, Result};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A table on disk. Rows gather in memory; [`Table::flush`] writes them in one call.
#[derive(Debug)]
pub struct Table {
    writer: csv::Writer<WholeRowSink>,
    path: PathBuf,
}

/// Length and digest of a table at some step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Number of bytes.
    pub length: u64,
    /// Digest of those bytes, 64 hexadecimal digits.
    pub digest: String,
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
        let rows = WholeRowSink {
            pending: Vec::new(),
            sink: Sink::File(file),
            length: 0,
            digest: Digest::default(),
        };
        Self::with_header(rows, path, columns)
    }

    /// Makes a table of the HDF5 file at `path`.
    ///
    /// # Errors
    /// When the header cannot be serialised.
    pub fn in_hdf5(table: Hdf5Table, path: PathBuf, columns: &[&str]) -> Result<Self> {
        let rows = WholeRowSink {
            pending: Vec::new(),
            sink: Sink::Hdf5(table),
            length: 0,
            digest: Digest::default(),
        };
        Self::with_header(rows, path, columns)
    }

    fn with_header(rows: WholeRowSink, path: PathBuf, columns: &[&str]) -> Result<Self> {
        let writer = csv::WriterBuilder::new().has_headers(false).from_writer(rows);
        let mut table = Self { writer, path };
        table.writer.write_record(columns).map_err(|e| table.fault(e.into()))?;
        table.flush()?;
        Ok(table)
    }

    /// Opens a table to go on behind a mark. Rows behind the mark stay until [`Table::cut`].
    ///
    /// # Errors
    /// When the file cannot be opened, or its content differs from that at the mark.
    pub fn open(path: PathBuf, mark: &Mark) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|source| Error::Io { path: path.clone(), source })?;
        let table = Self::go_on(file, path, mark.length)?;
        table.check(mark)?;
        Ok(table)
    }

    /// Goes on behind the first `length` bytes of the file at `path`, which is open.
    ///
    /// # Errors
    /// When the file cannot be read, or is shorter.
    pub fn go_on(mut file: File, path: PathBuf, length: u64) -> Result<Self> {
        let mut written = PrefixDigest::open(path.clone())?;
        if written.advance_to(length)?.is_none() {
            let message = format!("has fewer than the {length} bytes that the run wrote");
            return Err(Error::Parse { file: path, message });
        }
        file.seek(SeekFrom::Start(length)).map_err(|source| Error::Io { path: path.clone(), source })?;
        let sink = Sink::File(file);
        let rows = WholeRowSink { pending: Vec::new(), sink, length, digest: written.into_digest() };
        Ok(Self { writer: csv::WriterBuilder::new().has_headers(false).from_writer(rows), path })
    }

    /// Checks that the content of the table is that at the mark.
    ///
    /// # Errors
    /// When the content differs.
    pub fn check(&self, mark: &Mark) -> Result<()> {
        if self.mark() == *mark {
            return Ok(());
        }
        let message = format!("its first {} bytes are not those that the run wrote", mark.length);
        Err(Error::Parse { file: self.path.clone(), message })
    }

    /// Replaces the content that was written or marked by other bytes, as many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn replace(&mut self, bytes: &[u8]) -> Result<()> {
        let rewritten = || -> io::Result<File> {
            // The open file is the same: a lock on it stays.
            let Sink::File(file) = &self.writer.get_ref().sink else { return Err(not_a_file()) };
            let mut file = file.try_clone()?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(bytes)?;
            Ok(file)
        };
        let file = rewritten().map_err(|e| self.fault(e))?;
        *self = Self::go_on(file, self.path.clone(), bytes.len() as u64)?;
        Ok(())
    }

    /// Removes bytes behind the last whole row that was written or marked.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn cut(&mut self) -> Result<()> {
        let rows = self.writer.get_ref();
        match &rows.sink {
            Sink::File(file) => file.set_len(rows.length).map_err(|e| self.fault(e)),
            Sink::Hdf5(_) => Ok(()),
        }
    }

    /// Returns rows that an HDF5 file has not taken yet, as text.
    ///
    /// # Errors
    /// When the waiting records are no rows.
    pub fn waiting(&self) -> Result<String> {
        match &self.writer.get_ref().sink {
            Sink::File(_) => Ok(String::new()),
            Sink::Hdf5(table) => table.waiting().map_err(|e| self.fault(e)),
        }
    }

    /// Has the file take all rows.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(&self) -> Result<()> {
        match &self.writer.get_ref().sink {
            Sink::File(_) => Ok(()),
            Sink::Hdf5(table) => table.finish().map_err(|e| self.fault(e)),
        }
    }

    /// Has the operating system write everything to the disk.
    ///
    /// # Errors
    /// When the system fails to do so.
    pub fn sync(&self) -> Result<()> {
        let outcome = match &self.writer.get_ref().sink {
            Sink::File(file) => file.sync_data(),
            Sink::Hdf5(table) => table.sync(),
        };
        outcome.map_err(|e| self.fault(e))
    }

    /// Whether the file that is written is the one at a path; it is not if it was removed or replaced.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn is_at(&self, path: &Path) -> Result<bool> {
        let there = match path.metadata() {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(self.fault(e)),
        };
        let Sink::File(file) = &self.writer.get_ref().sink else { return Ok(true) };
        let written = file.metadata().map_err(|e| self.fault(e))?;
        Ok(is_same_file(&there, &written))
    }

    /// Returns the mark of the table's end.
    pub fn mark(&self) -> Mark {
        let Extent { length, digest } = self.extent();
        Mark { length, digest: digest.to_string() }
    }

    /// Appends a row, which is written at the next [`Table::flush`].
    ///
    /// # Errors
    /// When the row cannot be serialised.
    pub fn push<R: Serialize>(&mut self, row: &R) -> Result<()> {
        self.writer.serialize(row).map_err(|e| self.fault(e.into()))
    }

    /// Appends a row that is text already.
    ///
    /// # Errors
    /// When the row has another number of fields than the rows before.
    pub fn push_text(&mut self, row: &csv::StringRecord) -> Result<()> {
        self.writer.write_record(row).map_err(|e| self.fault(e.into()))
    }

    /// Appends rows and writes them as [`Table::flush`] does.
    ///
    /// # Errors
    /// When a row has another number of fields than those before, or the file cannot be written.
    pub fn take(&mut self, rows: &Cells) -> Result<()> {
        for row in rows.rows() {
            self.push(&row)?;
        }
        self.flush()
    }

    /// Passes all rows gathered so far to the operating system, in one call.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|e| self.fault(e))
    }

    /// Extent of all that was written so far.
    pub fn extent(&self) -> Extent {
        let rows = self.writer.get_ref();
        Extent { length: rows.length, digest: rows.digest.value() }
    }

    fn fault(&self, source: io::Error) -> Error {
        Error::Io { path: self.path.clone(), source }
    }
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns true: on other systems a file that is being written cannot be removed.
#[cfg(not(unix))]
fn is_same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The sink under the CSV writer. The writer empties its own buffer whenever it is full, that is in the
/// middle of a row; this sink gathers those pieces and so keeps rows whole in the file.
#[derive(Debug)]
struct WholeRowSink {
    pending: Vec<u8>,
    sink: Sink,
    /// Number of bytes of whole rows, as text.
    length: u64,
    /// Digest of those bytes.
    digest: Digest,
}

/// Destination of rows.
#[derive(Debug)]
enum Sink {
    File(File),
    Hdf5(Hdf5Table),
}

impl Sink {
    /// Writes whole rows, or the header where nothing was written yet.
    fn take(&mut self, text: &[u8], length: u64) -> io::Result<()> {
        match self {
            Sink::File(file) => {
                let outcome = file.write_all(text);
                if outcome.is_err() {
                    // A disk that fills up takes a part: that part is removed again, so that the rows before
                    // stay whole. If even that fails, the first error is the one to report.
                    drop(file.set_len(length));
                    drop(file.seek(SeekFrom::Start(length)));
                }
                outcome
            }
            // The columns have their names already.
            Sink::Hdf5(_) if length == 0 => Ok(()),
            Sink::Hdf5(table) => table.push(text),
        }
    }
}

fn not_a_file() -> io::Error {
    io::Error::other("is not a file of its own")
}

impl Write for WholeRowSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let outcome = self.sink.take(&self.pending, self.length);
        if outcome.is_ok() {
            self.length += self.pending.len() as u64;
            self.digest.update(&self.pending);
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
    let (text, _) = open_whole(path).map_err(fault)?;
    for row in csv::Reader::from_reader(BufReader::new(text)).into_deserialize() {
        each(row.map_err(|e| Error::Parse { file: path.to_owned(), message: e.to_string() })?);
    }
    Ok(())
}

/// Opens the text of a table of a run in a folder, by the name of its CSV file: header and whole rows,
/// whether the run wrote CSV files or one HDF5 file. None where the run has no such table.
///
/// # Errors
/// When the table cannot be read.
pub fn open_table(folder: &Path, name: &str) -> Result<Option<Box<dyn Read + Send>>> {
    let path = folder.join(name);
    match open_whole(&path) {
        Ok((text, _)) => Ok(Some(Box::new(text))),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// Opens the text of a table up to its last whole row, and returns the number of bytes behind it.
///
/// # Errors
/// When the file cannot be read.
pub fn open_whole(path: &Path) -> io::Result<(io::Take<Box<dyn Read + Send>>, u64)> {
    let text = source::open(path)?;
    if !path.exists() {
        return Ok((text.take(u64::MAX), 0));
    }
    let whole = whole_length(path)?;
    let behind = path.metadata()?.len().saturating_sub(whole);
    Ok((text.take(whole), behind))
}

/// Number of bytes of a CSV file up to and including the last newline.
///
/// # Errors
/// When the file cannot be read.
pub fn whole_length(path: &Path) -> io::Result<u64> {
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
        // The rows are far more than the CSV writer's own 8 KiB buffer.
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
