//! Rates of CPU and graphics processor side by side, as JSON. The guide explains the numbers, page "graphics
//! processors".
//!
//! `cargo bench --bench rates -- [--pairs N] [--settled M] [--pile N] [--settled-steps K] [--json FILE]`, or
//! `cargo bench --bench rates -- --device [--json FILE]`: pairs, the flat step and whole steps beside the
//! CPU, in seven minutes

#![allow(clippy::print_stderr, clippy::print_stdout)]

mod measure;

use measure::{Sizes, side_by_side};
use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;

/// Options of the measurement.
struct Options {
    sizes: Sizes,
    /// Whether the gain of the best device is measured instead.
    device: bool,
    /// File to write too.
    json: Option<PathBuf>,
}

/// Reads the command line, without the name of the program.
fn options(mut line: impl Iterator<Item = String>) -> Result<Options, String> {
    let sizes = Sizes { pairs: 30_000, settled: 0, pile: 64, settled_steps: 3 };
    let mut options = Options { sizes, device: false, json: None };
    while let Some(word) = line.next() {
        let sizes = &mut options.sizes;
        let (size, least, most) = match word.as_str() {
            "--pairs" => (&mut sizes.pairs, 1, 2_000_000),
            "--settled" => (&mut sizes.settled, 0, 1_000_000),
            "--pile" => (&mut sizes.pile, 1, 10_000),
            "--settled-steps" => (&mut sizes.settled_steps, 1, 1000),
            "--json" => {
                options.json = Some(line.next().ok_or("--json needs the name of a file")?.into());
                continue;
            }
            "--device" => {
                options.device = true;
                continue;
            }
            // Cargo adds this word.
            "--bench" => continue,
            _ => return Err(format!("{word}: is no option")),
        };
        let value = line.next().and_then(|text| text.parse::<usize>().ok());
        let value = value.filter(|value| (least..=most).contains(value));
        *size = value.ok_or_else(|| format!("{word}: must be a whole number, {least} to {most}"))?;
    }
    Ok(options)
}

#[cfg(feature = "gpu")]
fn gain_of_device() -> Result<Value, String> {
    Ok(measure::whole::measure())
}

#[cfg(not(feature = "gpu"))]
fn gain_of_device() -> Result<Value, String> {
    Err("--device: this build knows no devices".to_owned())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options(std::env::args().skip(1))?;
    let found = if options.device { gain_of_device()? } else { side_by_side(&options.sizes, true)? };
    let text = format!("{found:#}");
    println!("{text}");
    if let Some(path) = &options.json {
        std::fs::write(path, text + "\n")?;
    }
    Ok(())
}
