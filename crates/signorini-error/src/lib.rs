//! Errors: the reason why a run could not happen. How a *solve* ended is `SolveStatus` of the solver, never
//! an error. Beside them is what keeps hostile files from more than errors: regular files only, no panic of
//! another library's reader, no codes for the terminal; and words of messages.

mod counted;
mod foreign;
mod printable;
mod regular_file;

pub use counted::counted;
pub use foreign::{text_of, without_panic};
pub use printable::printable;
pub use regular_file::{NOT_REGULAR, most_unpacked, open_regular, read_regular, read_regular_text};

use std::path::PathBuf;

/// An impossible request; nothing was computed and nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value in a scene file (or of a command-line override) is not allowed.
    #[error("{file}{}: {field} = {value}: {allowed}", position(*at), file = file.display())]
    Field {
        /// The file that holds the field.
        file: PathBuf,
        /// Line and column, from 1, where they are known.
        at: Option<(usize, usize)>,
        /// Path of the field as the user wrote it, e.g. `body[2] "ball": mass`.
        field: String,
        /// The offending value as text.
        value: String,
        /// The values that are allowed.
        allowed: String,
    },
    /// A scene file is not TOML.
    #[error("{file}:{line}:{column}: {message}", file = file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The text that the parser found, and the text that it expected.
        message: String,
    },
    /// A file is not of the form that it should have.
    #[error("{file}: {message}", file = file.display())]
    Parse {
        /// The file that could not be parsed.
        file: PathBuf,
        /// The parser's message, with the place and the expected form where these are known.
        message: String,
    },
    /// Several faults of one file, all reported at once.
    #[error("{}", join(.0))]
    Many(Vec<Error>),
    /// Two bodies overlap at the start by more than the step can take up.
    #[error(
        "{file}: bodies \"{body_a}\" and \"{body_b}\" overlap by {depth:.6e} m, allowed is {allowed:.6e} m: the first step would throw them apart at {speed:.3e} m/s (depth over step); move them apart or have them separated (--separate, SceneBuilder::separate)",
        file = file.display()
    )]
    Overlap {
        /// The scene file.
        file: PathBuf,
        /// First body.
        body_a: String,
        /// Second body.
        body_b: String,
        /// Penetration depth (m, > 0).
        depth: f64,
        /// Largest depth accepted (m).
        allowed: f64,
        /// Speed at which the first step would push the bodies apart (m/s).
        speed: f64,
    },
    /// A file or folder could not be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The path concerned.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// An input outside any file: a command-line value, a missing backend, a folder that exists.
    #[error("{what}: {allowed}")]
    Usage {
        /// The request.
        what: String,
        /// The requests that are allowed.
        allowed: String,
    },
}

impl Error {
    /// Faults that are reported at once; a single one stands for itself.
    pub fn all(mut faults: Vec<Self>) -> Self {
        if faults.len() == 1 { faults.remove(0) } else { Self::Many(faults) }
    }
}

/// `:3:5`, or nothing.
fn position(at: Option<(usize, usize)>) -> String {
    at.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"))
}

fn join(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
