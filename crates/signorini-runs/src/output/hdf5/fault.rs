//! Faults of the library.

use signorini_error::without_panic;
use std::io;

/// Converts a fault of the library, with the system's own reason where it has one.
pub fn fault(error: hdf5_pure::Error) -> io::Error {
    match error {
        hdf5_pure::Error::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

/// The outcome of the library's work, or its panic as a fault.
///
/// # Errors
/// When the work fails or panics.
pub fn guarded<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    without_panic(work)
        .unwrap_or_else(|panic| Err(io::Error::other(format!("cannot be read as HDF5 ({panic})"))))
}
