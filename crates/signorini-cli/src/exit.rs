//! How a command ends: exit codes, and what is behind a failure.

use signorini_error::Error;

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
