//! The flat step and whole steps on CPU and graphics processor side by side, as JSON, in seven minutes. The
//! guide explains the numbers, page "graphics processors".
//!
//! `cargo bench --bench rates -- [--json FILE]`

#![allow(clippy::print_stderr, clippy::print_stdout)]

mod measure;

use std::error::Error;
use std::path::PathBuf;

/// Reads the command line, without the name of the program: the file to write to, too.
fn json_file(mut line: impl Iterator<Item = String>) -> Result<Option<PathBuf>, String> {
    let mut file = None;
    while let Some(word) = line.next() {
        match word.as_str() {
            "--json" => file = Some(line.next().ok_or("--json needs the name of a file")?.into()),
            // Cargo adds this word.
            "--bench" => (),
            _ => return Err(format!("{word}: is no option")),
        }
    }
    Ok(file)
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = json_file(std::env::args().skip(1))?;
    let text = format!("{:#}", measure::whole::measure());
    println!("{text}");
    if let Some(path) = file {
        std::fs::write(path, text + "\n")?;
    }
    Ok(())
}
