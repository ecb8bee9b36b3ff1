//! Exit codes of the commands, and their failures.

use signorini_error::Error;

/// Exit code where every step met the tolerance, or the command did its task.
pub const SUCCESS: u8 = 0;
/// Exit code of failures that are not the user's input: a full disk in mid-run, a fault of the program.
pub const FAILURE: u8 = 1;
/// Exit code of bad input: nothing was computed and nothing was written.
pub const BAD_INPUT: u8 = 2;
/// Exit code of a run that finished with steps above the tolerance or steps that the referee rejects, and of
/// an audit that found steps red or files that contradict each other.
pub const UNSOLVED: u8 = 3;
/// Exit code of a run that a signal stopped; all steps taken are written.
pub const INTERRUPTED: u8 = 130;

/// Reason why a command did not do its task.
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
