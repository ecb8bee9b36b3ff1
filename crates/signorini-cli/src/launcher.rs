//! Launcher of this program: a sweep runs its cases in processes of their own.

use signorini_error::{Error, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Words that start the command line, when it is not the file of this process.
static LAUNCHER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the words that start the command line: a program and its first arguments. The first call counts.
pub fn set(words: Vec<OsString>) {
    let _ = LAUNCHER.set(words);
}

/// Returns the program and its first arguments.
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

/// Makes a command that starts the command line.
///
/// # Errors
/// Same as for [`words`].
pub fn command() -> Result<Command> {
    let words = words()?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}
