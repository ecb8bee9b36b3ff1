//! The command-line tool: see [`signorini_cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(signorini_cli::run_command(std::env::args_os(), Vec::new()))
}
