//! Argument parsing and wiring, no physics. Exit codes: `docs/guide/output.md`.

mod arguments;
mod backend;
mod bench;
mod check;
mod compare;
mod fclib;
mod inspect;
mod progress;
mod run;

use crate::Error;
use arguments::{Arguments, Command};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Every step met the tolerance, or the command did what it was asked.
pub const SUCCESS: u8 = 0;
/// Anything that is not the user's input: a full disk in mid-run, a fault of the program.
pub const FAILURE: u8 = 1;
/// Bad input: nothing was computed and nothing was written.
pub const BAD_INPUT: u8 = 2;
/// The run finished, but some steps are above the tolerance or the referee disagrees with some; an audit
/// found steps red or files that contradict each other.
pub const UNSOLVED: u8 = 3;
/// A signal stopped the run; what there was is written.
pub const INTERRUPTED: u8 = 130;

/// Why a command did not do what it was asked.
pub enum Failure {
    /// The input is at fault.
    Input(Error),
    /// Something else.
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Input(error)
    }
}

/// Parses the command line, runs the command, and returns its exit code.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log_to_stderr();
    // The panic has already printed its message: only its exit code (101) is not one of ours.
    let outcome = std::panic::catch_unwind(|| dispatch(&arguments.command));
    let code = match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(Failure::Input(error))) => {
            complain(&format!("error: {error}"));
            BAD_INPUT
        }
        Ok(Err(Failure::Other(error))) => {
            complain(&format!("error: {error}"));
            FAILURE
        }
        Err(_) => FAILURE,
    };
    ExitCode::from(code)
}

fn dispatch(command: &Command) -> Result<u8, Failure> {
    match command {
        Command::Run(options) => run::run(options),
        Command::Check(options) => check::check(options),
        Command::Compare(options) => compare::compare(options),
        Command::Audit { dir } => inspect::audit(dir),
        Command::Plot { dir } => inspect::plot(dir),
        Command::Fclib(options) => fclib::fclib(options),
        Command::Bench(options) => bench::bench(options),
        Command::Devices => backend::devices(),
        Command::Schema => {
            say(&crate::scene::json_schema());
            Ok(SUCCESS)
        }
    }
}

/// The library's warnings; `RUST_LOG` set to a level name shows more or less.
fn log_to_stderr() {
    let level = std::env::var("RUST_LOG").ok().and_then(|v| v.parse().ok()).unwrap_or(tracing::Level::WARN);
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(level).init();
}

/// A line on stdout. A reader that went away (`| head`) is no fault of ours.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on stderr.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
