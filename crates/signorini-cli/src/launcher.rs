//! How this program is started again: a sweep runs its cases in processes of their own.

use signorini_error::{Error, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// What starts the command line, when it is not the file of this process.
static LAUNCHER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the command line is started: a program and its first arguments. The first call counts.
pub fn set(words: Vec<OsString>) {
    let _ = LAUNCHER.set(words);
}

/// The program and its first arguments.
///
/// # Errors
/// When the system does not tell the file of this process.
pub fn words() -> Result<Vec<OsString>> {
    if let Some(words) = LAUNCHER.get().filter(|words| !words.is_empty()) {
        return Ok(words.clone());
    }
    let told = |source| Error::Io { path: PathBuf::from("this program"), source };
    std::env::current_exe().map(|program| vec![program.into_os_string()]).map_err(told)
}

/// A command that starts the command line.
///
/// # Errors
/// As [`words`].
pub fn command() -> Result<Command> {
    let words = words()?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}
