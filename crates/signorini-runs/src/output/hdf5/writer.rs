//! The HDF5 file of a run in progress, in which rows become records, which are compressed and written.

use super::fault::fault;
use super::layout::Layout;
use super::reader::TableText;
use hdf5_pure::{File, FileAccessProperties, FileBuilder, MaxExtent, SyncPolicy};
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Level of the compression: higher ones take twice the time for a tenth of the size.
const LEVEL: u32 = 1;

/// A file with some tables.
#[derive(Debug)]
pub struct Hdf5File {
    file: File,
    tables: Vec<PendingRecords>,
}

/// A table and its records that are not written yet.
#[derive(Debug)]
struct PendingRecords {
    name: String,
    layout: Layout,
    /// Number of records that are compressed together, and written at once. A killed run loses those that
    /// wait.
    chunk: usize,
    records: Vec<u8>,
}

/// One of the tables of a file.
#[derive(Debug, Clone)]
pub struct Hdf5Table {
    file: Arc<Mutex<Hdf5File>>,
    at: usize,
}

impl Hdf5File {
    /// Creates the file with empty tables, in the order given: name, layout, and number of records that are
    /// written at once.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &Path, tables: Vec<(String, Layout, usize)>) -> io::Result<Vec<Hdf5Table>> {
        let mut builder = FileBuilder::new();
        for (name, layout, chunk) in &tables {
            let datatype = layout.datatype().ok_or_else(|| io::Error::other("no such columns"))?;
            builder
                .create_dataset(name)
                .with_compound_data(datatype, Vec::new(), 0)
                .with_shape(&[0])
                .with_maxshape(&[MaxExtent::Unlimited])
                .with_chunks(&[*chunk as u64])
                .with_shuffle()
                .with_deflate(LEVEL);
        }
        builder.write(path).map_err(fault)?;
        // The file is on the disk when a checkpoint asks for it; the system has it always.
        let access = FileAccessProperties::new().with_sync_policy(SyncPolicy::OnClose);
        let file = File::open_rw_with_options(path, access).map_err(fault)?;
        let n = tables.len();
        let waiting = |(name, layout, chunk)| PendingRecords { name, layout, chunk, records: Vec::new() };
        let file = Self { file, tables: tables.into_iter().map(waiting).collect() };
        let file = Arc::new(Mutex::new(file));
        Ok((0..n).map(|at| Hdf5Table { file: Arc::clone(&file), at }).collect())
    }

    /// Adds whole rows of a table, as text.
    fn take(&mut self, at: usize, rows: &[u8]) -> io::Result<()> {
        let PendingRecords { layout, records, .. } = &mut self.tables[at];
        for row in csv::ReaderBuilder::new().has_headers(false).from_reader(rows).into_records() {
            layout.encode(&row?, records).map_err(io::Error::other)?;
        }
        self.write(at, false)
    }

    /// Writes records of a table, all that wait or whole chunks only.
    fn write(&mut self, at: usize, is_last: bool) -> io::Result<()> {
        let PendingRecords { name, layout, chunk, records } = &mut self.tables[at];
        let chunk = *chunk * layout.record_size();
        let ready = if is_last { records.len() } else { records.len() - records.len() % chunk };
        if ready == 0 {
            return Ok(());
        }
        let mut table = self.file.dataset(name).map_err(fault)?;
        for part in records[..ready].chunks(chunk) {
            table.append_raw(part).map_err(fault)?;
        }
        records.drain(..ready);
        Ok(())
    }
}

impl Hdf5Table {
    fn file(&self) -> MutexGuard<'_, Hdf5File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds whole rows, as text, without the header.
    ///
    /// # Errors
    /// When the text is not rows of the table, or the file cannot be written.
    pub fn push(&self, rows: &[u8]) -> io::Result<()> {
        self.file().take(self.at, rows)
    }

    /// Returns the rows that wait, as text.
    ///
    /// # Errors
    /// When the waiting records are no rows.
    pub fn waiting(&self) -> io::Result<String> {
        let file = self.file();
        let PendingRecords { layout, records, .. } = &file.tables[self.at];
        String::from_utf8(layout.decode(records).map_err(io::Error::other)?).map_err(io::Error::other)
    }

    /// Returns all rows, with the header: those in the file, which is at this path, and those that wait.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn text(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        let waiting = Cursor::new(self.waiting()?.into_bytes());
        let name = self.file().tables[self.at].name.clone();
        match TableText::open(file, &name)? {
            Some(text) => Ok(Box::new(text.chain(waiting))),
            None => Err(io::Error::other(format!("{name}: not there"))),
        }
    }

    /// Writes the rows that wait.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(&self) -> io::Result<()> {
        self.file().write(self.at, true)
    }

    /// Has the operating system write the file to the disk.
    ///
    /// # Errors
    /// When the system fails to do so.
    pub fn sync(&self) -> io::Result<()> {
        self.file().file.sync().map_err(fault)
    }
}
