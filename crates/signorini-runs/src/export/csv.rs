//! Tables of a run as CSV files, whatever their format.

use crate::output::{chain, names, source, table};
use signorini_error::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Files of a run that are no tables, and are copied with them.
const BESIDE: [&str; 4] = [names::SCENE, names::CHAIN, names::TIMES, names::SUMMARY];

/// Writes the folder of a run again with its tables as CSV files, byte for byte as the run would have written
/// them as CSV, and returns the files.
///
/// # Errors
/// When a table cannot be read, or a file cannot be written.
pub fn write_csv(run: &Path, out: &Path) -> Result<Vec<PathBuf>> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    };
    fs::create_dir_all(out).map_err(io(out))?;
    let mut written = Vec::new();
    for name in chain::TABLES {
        let (from, to) = (run.join(name), out.join(name));
        if !source::exists(&from) {
            continue;
        }
        let (mut text, _) = table::open_whole(&from).map_err(io(&from))?;
        let mut file = fs::File::create(&to).map_err(io(&to))?;
        io::copy(&mut text, &mut file).map_err(io(&to))?;
        written.push(to);
    }
    for name in BESIDE {
        let (from, to) = (run.join(name), out.join(name));
        if from.exists() {
            fs::copy(&from, &to).map_err(io(&to))?;
            written.push(to);
        }
    }
    for entry in fs::read_dir(run).map_err(io(run))?.flatten() {
        if entry.file_name().to_str().is_some_and(names::is_measure) {
            let to = out.join(entry.file_name());
            fs::copy(entry.path(), &to).map_err(io(&to))?;
            written.push(to);
        }
    }
    Ok(written)
}
