//! Digests of the files of a run, by BLAKE3.

use std::fmt;

/// Digest of all bytes added so far.
#[derive(Debug, Clone, Default)]
pub struct Digest(blake3::Hasher);

/// Value of a digest: 32 bytes that differ for different texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value(blake3::Hash);

/// Length of a file's start, and its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the start of the file.
    pub length: u64,
    /// Digest of those bytes.
    pub digest: Value,
}

impl Extent {
    /// Extent of a file that does not exist.
    pub fn nothing() -> Self {
        Self { length: 0, digest: Digest::default().value() }
    }
}

impl Digest {
    /// Adds more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest so far.
    pub fn value(&self) -> Value {
        Value(self.0.finalize())
    }
}

impl Value {
    /// Digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// Value from 64 hexadecimal digits.
    pub fn from_text(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(Self)
    }

    /// Returns the 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}
