//! Digests of a table's start, up to longer and longer lengths.

use super::digest::{Digest, Extent};
use super::source;
use signorini_error::{Error, Result};
use std::io::{self, Read};
use std::path::PathBuf;

/// A table whose digest is taken up to longer and longer lengths.
pub struct PrefixDigest {
    path: PathBuf,
    /// Reader of the table; None where the file does not exist.
    file: Option<Box<dyn Read + Send>>,
    length: u64,
    digest: Digest,
}

impl PrefixDigest {
    /// Opens a file, which need not exist.
    ///
    /// # Errors
    /// When the file exists and cannot be opened.
    pub fn open(path: PathBuf) -> Result<Self> {
        let file = match source::open(&path) {
            Ok(file) => Some(file),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::Io { path, source }),
        };
        Ok(Self::of(path, file))
    }

    /// Makes the value from the text of a table at a path, or from none.
    pub fn of(path: PathBuf, file: Option<Box<dyn Read + Send>>) -> Self {
        Self { path, file, length: 0, digest: Digest::default() }
    }

    /// Name of the table in its folder.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Extent of the first `length` bytes; None where the table is shorter, or `length` is less than before.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn advance_to(&mut self, length: u64) -> Result<Option<Extent>> {
        let mut block = [0u8; 1 << 14];
        while self.length < length {
            let Some(file) = &mut self.file else { return Ok(None) };
            let most = (length - self.length).min(block.len() as u64) as usize;
            let n = file
                .read(&mut block[..most])
                .map_err(|source| Error::Io { path: self.path.clone(), source })?;
            if n == 0 {
                return Ok(None);
            }
            self.digest.update(&block[..n]);
            self.length += n as u64;
        }
        Ok((self.length == length).then(|| Extent { length, digest: self.digest.value() }))
    }

    /// Returns the digest of the bytes read so far, which can be continued.
    pub fn into_digest(self) -> Digest {
        self.digest
    }
}
