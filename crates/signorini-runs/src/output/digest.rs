//! Digests of what a run writes, by BLAKE3.

use std::fmt;

/// The digest of everything taken in so far.
#[derive(Debug, Clone, Default)]
pub struct Digest(blake3::Hasher);

/// 32 bytes that two different texts do not share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value(blake3::Hash);

/// How much of a file there is, and its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the start of the file.
    pub length: u64,
    /// Digest of those.
    pub digest: Value,
}

impl Extent {
    /// Of a file that does not exist.
    pub fn nothing() -> Self {
        Self { length: 0, digest: Digest::default().value() }
    }
}

impl Digest {
    /// Takes in more bytes.
    pub fn take(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest so far.
    pub fn value(&self) -> Value {
        Value(self.0.finalize())
    }
}

impl Value {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes))
    }

    /// From 64 hexadecimal digits.
    pub fn from_text(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(Self)
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}
