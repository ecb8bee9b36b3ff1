//! Faults of the library.

use std::io;

/// Converts a fault of the library, with the system's own reason where it has one.
pub fn fault(error: hdf5_pure::Error) -> io::Error {
    match error {
        hdf5_pure::Error::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}
