//! The scene that a command takes: a file, or standard input.

use signorini_error::{Error, Result};
use signorini_scene::robots;
use signorini_scene::scene::{LONGEST_FILE, LoadOptions, Loaded, parse};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

/// Path that stands for standard input.
const DASH: &str = "-";
/// Name of standard input in messages and summaries.
const STDIN: &str = "<stdin>";

/// Reads a scene or a model from a file, or a scene from standard input. Files that a scene from there names
/// are in the working folder.
///
/// # Errors
/// As of a file.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded> {
    if !is_stdin(path) {
        return robots::load(path, options);
    }
    parse(&stdin_text()?, Path::new(STDIN), options)
}

/// Reads the text of a scene from standard input.
///
/// # Errors
/// When it cannot be read, or is XML.
pub fn stdin_text() -> Result<String> {
    let shown = Path::new(STDIN);
    let mut text = String::new();
    // A byte more than is allowed: the parser tells the rest.
    let read = std::io::stdin().lock().take(LONGEST_FILE + 1).read_to_string(&mut text);
    read.map_err(|source| Error::Io { path: shown.to_owned(), source })?;
    if text.trim_start().starts_with('<') {
        let message =
            "is XML; a model in MJCF or URDF is read from a file, for the files beside it".to_owned();
        return Err(Error::Parse { file: shown.to_owned(), message });
    }
    Ok(text)
}

/// Whether a path stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new(DASH)
}

/// Returns the path in words of messages and summaries.
pub fn shown(path: &Path) -> &Path {
    if is_stdin(path) { Path::new(STDIN) } else { path }
}

/// Returns the name of a scene without folder and ending, for the folder that a command writes.
pub fn stem(path: &Path) -> &OsStr {
    if is_stdin(path) { OsStr::new("stdin") } else { path.file_stem().unwrap_or(OsStr::new("run")) }
}
