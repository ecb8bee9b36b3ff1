//! Lines on the terminal.

use std::io::Write;

/// A line on stdout. A reader that went away (`| head`) is no fault of ours.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A line on stderr.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
