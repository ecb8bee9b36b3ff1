//! The command `signorini bench`: rates of the cores, and of a chip beside them. The guide explains the
//! numbers, page "graphics processors".

mod budget;
mod copy;
mod flat_rates;
mod granular_bed;
mod measure;
mod table;

use super::arguments::BenchOptions;
use super::backend;
use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use signorini_error::Error;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Measures, prints a table, and writes all numbers where a file is named.
pub fn bench(options: &BenchOptions) -> Result<u8, Failure> {
    let chip = options.device.then(backend::chip).transpose()?;
    // A file that cannot be written is told before minutes of measurements.
    let file =
        options.json.as_deref().map(|path| Ok((path, create(path)?))).transpose().map_err(Failure::Input)?;
    let found = measure::measure(chip.as_ref(), f64::from(options.seconds));
    table::lines(&found).iter().for_each(|line| print_line(line));
    if let Some((path, mut file)) = file {
        writeln!(file, "{found:#}").map_err(|source| Failure::Other(io(path, source)))?;
    }
    Ok(SUCCESS)
}

fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|source| io(path, source))
}

fn io(path: &Path, source: std::io::Error) -> Error {
    Error::Io { path: path.to_owned(), source }
}
