//! Tables of a run that is there, whatever the format of their files.

use super::hdf5::TableText;
use super::names;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The text of a table: of its CSV file or, where there is none, of the HDF5 file beside it.
///
/// # Errors
/// When there is neither, or it cannot be read.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => match in_hdf5(path)? {
            Some(text) => Ok(Box::new(text)),
            None => Err(e),
        },
        file => Ok(Box::new(file?)),
    }
}

/// Whether there is such a table.
pub fn exists(path: &Path) -> bool {
    path.exists() || matches!(in_hdf5(path), Ok(Some(_)))
}

/// Bytes of the text of a table.
///
/// # Errors
/// As [`open`].
pub fn length(path: &Path) -> io::Result<u64> {
    match path.metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => io::copy(&mut open(path)?, &mut io::sink()),
        Err(e) => Err(e),
    }
}

/// The table in the HDF5 file of its folder. Joints, substeps and flow are there from the
/// first on.
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
