//! The command-line tool: see [`signorini::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(signorini::cli::run_command(std::env::args_os(), Vec::new()))
}
