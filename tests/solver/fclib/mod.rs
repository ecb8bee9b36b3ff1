//! The readers, conversions and the solver on problems with known answers, and `signorini fclib` as a user
//! calls it. The public set is used where its folder lies beside the project.

// A skipped test says so.
#![allow(clippy::print_stderr)]

mod bad_files;
mod cores;
mod hdf5;
mod known_answers;
mod phases;
mod public_set;
mod steps;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `signorini fclib`.
fn fclib(arguments: &[&str], files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
    command.arg("fclib").args(arguments).args(files).env_remove("RUST_LOG").output().expect("started")
}

/// The objects of `--json`, and the exit code.
fn outcomes(arguments: &[&str], files: &[&Path]) -> (Vec<serde_json::Value>, Option<i32>) {
    let output = fclib(&[&["--json"], arguments].concat(), files);
    let text = String::from_utf8(output.stdout).expect("text");
    (serde_json::from_str(&text).expect("one JSON array and nothing else"), output.status.code())
}

fn number(outcome: &serde_json::Value, key: &str) -> f64 {
    outcome[key].as_f64().unwrap_or_else(|| panic!("{key} of {outcome}"))
}
