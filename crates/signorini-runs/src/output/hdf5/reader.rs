//! A table of an HDF5 file as the text of its CSV file.

use super::fault::{fault, guarded};
use super::layout::Layout;
use hdf5_pure::{Dataset, File};
use signorini_error::{most_unpacked, open_regular};
use std::io::{self, Read};
use std::path::Path;

/// Number of records that are turned into text at once.
const BLOCK: u64 = 4096;

/// Header and rows of a table, as text, made while it is read.
#[derive(Debug)]
pub struct TableText {
    table: Dataset,
    layout: Layout,
    next: u64,
    n_rows: u64,
    text: Vec<u8>,
    /// Number of bytes of the text that were read.
    taken: usize,
}

impl TableText {
    /// Opens a table. None when the file has no such table.
    ///
    /// # Errors
    /// When the file cannot be read, or the table is not one that a run wrote.
    pub fn open(path: &Path, name: &str) -> io::Result<Option<Self>> {
        let length = open_regular(path)?.metadata()?.len();
        guarded(|| Self::find(path, name, most_unpacked(length)))
    }

    /// Opens a table that has at most `room` bytes.
    fn find(path: &Path, name: &str, room: u64) -> io::Result<Option<Self>> {
        let file = File::open_streaming(path).map_err(fault)?;
        if !file.root().datasets().map_err(fault)?.iter().any(|there| there == name) {
            return Ok(None);
        }
        let table = file.dataset(name).map_err(fault)?;
        let layout = Layout::read(&table.datatype().map_err(fault)?);
        let layout = layout.ok_or_else(|| io::Error::other(format!("{name}: not a table of a run")))?;
        let n_rows = table.shape().map_err(fault)?.first().copied().unwrap_or(0);
        let n_at_once = table.chunk_shape().map_err(fault)?.and_then(|chunk| chunk.first().copied());
        let most = room / (layout.record_size() as u64).max(1);
        if let Some(n) = [n_rows, n_at_once.unwrap_or(0)].into_iter().find(|n| *n > most) {
            let told = format!("{name}: {n} rows are announced; a file of this length has at most {most}");
            return Err(io::Error::other(told));
        }
        let text = layout.header().into_bytes();
        Ok(Some(Self { table, layout, next: 0, n_rows, text, taken: 0 }))
    }

    /// Number of rows of the table.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }
}

impl Read for TableText {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() && self.next < self.n_rows {
            let count = BLOCK.min(self.n_rows - self.next);
            let records = guarded(|| self.table.read_raw_rows(self.next, count).map_err(fault))?;
            self.text = self.layout.decode(&records).map_err(io::Error::other)?;
            (self.taken, self.next) = (0, self.next + count);
        }
        let n = into.len().min(self.text.len() - self.taken);
        into[..n].copy_from_slice(&self.text[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}
