//! Counts of the messages from rank to rank.

use std::ops::Sub;

/// Messages and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Exchanges, each with all of a group.
    pub messages: u64,
    /// Bytes that this rank handed out in them.
    pub bytes: u64,
}

impl Sub for Traffic {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { messages: self.messages - before.messages, bytes: self.bytes - before.bytes }
    }
}
