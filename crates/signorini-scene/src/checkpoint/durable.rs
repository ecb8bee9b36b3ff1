//! Files that are replaced as a whole, even when the process or the machine stops meanwhile.

use signorini_error::{Error, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file aside, has the disk take it, and puts it in its place: whenever process or machine stop, the
/// file is either the old one or the new one.
///
/// # Errors
/// When the file cannot be written; the old file is unchanged.
pub fn write_durably(path: &Path, parts: &[&[u8]]) -> Result<()> {
    let aside = aside(path);
    let written = write_aside(&aside, parts).and_then(|()| fs::rename(&aside, path));
    let outcome = written.and_then(|()| sync_folder(path));
    outcome.map_err(|source| {
        // The part that was written takes room on a disk that may be full.
        drop(fs::remove_file(&aside));
        Error::Io { path: path.to_owned(), source }
    })
}

fn aside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".new");
    path.with_file_name(name)
}

fn write_aside(aside: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = File::create(aside)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.sync_all()
}

/// The new name is on the disk only when the folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
