//! Tables of an existing run, whatever the format of their files.

use super::hdf5::TableText;
use super::names;
use signorini_error::open_regular;
use std::io::{self, Read};
use std::path::Path;

/// Opens the text of a table: that of its CSV file or, without one, that of the HDF5 file beside it.
///
/// # Errors
/// When neither exists, or the table cannot be read.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match open_regular(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match in_hdf5(path)? {
            Some(text) => Ok(Box::new(text)),
            None => Err(e),
        },
        file => Ok(Box::new(file?)),
    }
}

/// Whether the table exists.
pub fn exists(path: &Path) -> bool {
    path.exists() || matches!(in_hdf5(path), Ok(Some(_)))
}

/// Number of bytes of the text of a table.
///
/// # Errors
/// Same as for [`open`].
pub fn length(path: &Path) -> io::Result<u64> {
    match path.metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => io::copy(&mut open(path)?, &mut io::sink()),
        Err(e) => Err(e),
    }
}

/// The table in the HDF5 file of its folder. Tables of joints, substeps and flow exist from the first row on.
fn in_hdf5(path: &Path) -> io::Result<Option<TableText>> {
    let file = path.with_file_name(names::HDF5);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if !file.exists() {
        return Ok(None);
    }
    let may_lack = [names::JOINTS, names::SUBSTEPS, names::FLOW]
        .iter()
        .any(|name| path.file_name() == Some(name.as_ref()));
    let is_there = |text: &TableText| !may_lack || text.n_rows() > 0;
    Ok(TableText::open(&file, &name)?.filter(is_there))
}
