//! Errors of the library as exceptions, with the text that the command line prints.

use pyo3::exceptions::PyDeprecationWarning;
use pyo3::prelude::*;
use signorini::Error;
use signorini_error::printable;
use std::ffi::CStr;

/// The exception of an error: `FileError` where a file could not be read or written, else `InputError`.
pub fn raise(error: Error) -> PyErr {
    Python::attach(|py| exception(py, &error).unwrap_or_else(|failure| failure))
}

/// The result with exceptions for errors.
pub fn checked<T>(result: signorini::Result<T>) -> PyResult<T> {
    result.map_err(raise)
}

/// An `InputError` about a value that stands in no file.
pub fn refuse(what: impl Into<String>, allowed: impl Into<String>) -> PyErr {
    raise(Error::Usage { what: what.into(), allowed: allowed.into() })
}

/// Warns that a name is that of an earlier version.
pub fn renamed(py: Python<'_>, note: &CStr) -> PyResult<()> {
    PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), note, 1)
}

/// The exception of a fault of the program itself.
pub fn internal(text: &str) -> PyErr {
    let text = format!("a fault of the program, please report it: {text}");
    let text = printable(&text);
    let made = |py: Python<'_>| {
        let class = py.import("signorini.errors")?.getattr("InternalError")?;
        Ok(PyErr::from_value(class.call1((text,))?))
    };
    Python::attach(|py| made(py).unwrap_or_else(|failure| failure))
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = match error {
        Error::Io { .. } => "FileError",
        _ => "InputError",
    };
    let (text, faults) = match error {
        Error::Many(all) => {
            (format!("{} faults\n{error}", all.len()), all.iter().map(Error::to_string).collect())
        }
        one => (one.to_string(), vec![one.to_string()]),
    };
    let faults: Vec<_> = faults.iter().map(|fault: &String| printable(fault)).collect();
    let class = py.import("signorini.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call1((printable(&text), faults))?))
}

/// The error without line and column, which mean nothing to a user who wrote no text.
pub fn without_place(error: Error) -> Error {
    match error {
        Error::Field { file, field, value, allowed, .. } => {
            Error::Field { file, at: None, field, value, allowed }
        }
        Error::Many(errors) => Error::Many(errors.into_iter().map(without_place).collect()),
        other => other,
    }
}
