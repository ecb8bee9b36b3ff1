//! Output of lines on the terminal.

use signorini_error::{Error, printable};
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process says nothing: another one speaks for it.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Has this process say nothing from now on, or speak.
pub fn silence(on: bool) {
    IS_SILENT.store(on, Ordering::Relaxed);
}

fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// The first error of stdout.
static LOST: OnceLock<io::ErrorKind> = OnceLock::new();

/// Writes a line on stdout, with codes for the terminal as escapes. An error is told at the end of the
/// command ([`check_stdout`]): what was asked for is done first.
pub fn print_line(line: &str) {
    if !is_silent() {
        keep(writeln!(io::stdout(), "{}", printable(line)));
    }
}

/// Writes a line on stderr, with codes for the terminal as escapes.
pub fn print_error(line: &str) {
    if !is_silent() {
        let _ = writeln!(io::stderr(), "{}", printable(line));
    }
}

/// Writes a document on stdout as it is: for a file or another program.
pub fn print_page(page: &str) {
    keep(io::stdout().write_all(page.as_bytes()));
}

fn keep(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        let _ = LOST.set(error.kind());
    }
}

/// Whether all lines were written on stdout.
///
/// # Errors
/// When some was not. A reader that went away (`| head`) has read enough: that is no error.
pub fn check_stdout() -> Result<(), Error> {
    keep(io::stdout().flush());
    match LOST.get() {
        None | Some(io::ErrorKind::BrokenPipe) => Ok(()),
        Some(kind) => Err(Error::Io { path: "standard output".into(), source: (*kind).into() }),
    }
}
