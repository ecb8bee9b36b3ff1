//! Output of lines on the terminal.

use std::io::Write;

/// Writes a line on stdout. A reader that went away (`| head`) is no error.
pub fn print_line(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Writes a line on stderr.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
