//! The command-line tool: see [`signorini::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    signorini::cli::main()
}
