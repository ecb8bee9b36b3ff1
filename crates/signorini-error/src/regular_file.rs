//! Reading of regular files: a pipe may wait for ever, and a device may have no end.

use super::{Error, Result};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Fault of a path that is none.
pub const NOT_REGULAR: &str = "is not a regular file: folders, pipes and devices are not read";

/// Most bytes that deflate makes of one.
const DEFLATE_RATIO: u64 = 1032;
/// Bytes that are there in any case (a block that is not full yet).
const BLOCK: u64 = 16 << 20;

/// Most bytes that can be packed in a file of this length: what announces more is not in it.
pub fn most_unpacked(length: u64) -> u64 {
    length.saturating_mul(DEFLATE_RATIO).saturating_add(BLOCK)
}

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or is something else.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let check = |metadata: Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR)),
    };
    // To open a pipe would wait for its other end.
    check(std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// The bytes of a regular file that has at most `longest` of them.
///
/// # Errors
/// When it cannot be read, is something else, or is longer.
pub fn read_regular(path: &Path, longest: u64) -> Result<Vec<u8>> {
    let fault = |source| Error::Io { path: path.to_owned(), source };
    let file = open_regular(path).map_err(fault)?;
    let length = file.metadata().map_err(fault)?.len();
    let mut bytes = Vec::new();
    if length <= longest {
        // A file may grow while it is read.
        file.take(longest + 1).read_to_end(&mut bytes).map_err(fault)?;
    }
    if length > longest || bytes.len() as u64 > longest {
        let message = format!("{} bytes; at most {longest} are read", length.max(bytes.len() as u64));
        return Err(Error::Parse { file: path.to_owned(), message });
    }
    Ok(bytes)
}

/// The text of a regular file that has at most `longest` bytes.
///
/// # Errors
/// As of [`read_regular`], and when the bytes are no UTF-8.
pub fn read_regular_text(path: &Path, longest: u64) -> Result<String> {
    String::from_utf8(read_regular(path, longest)?).map_err(|e| Error::Parse {
        file: path.to_owned(),
        message: format!("byte {} is not UTF-8 text", e.utf8_error().valid_up_to()),
    })
}
