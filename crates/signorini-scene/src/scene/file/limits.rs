//! Limits of a scene file.

/// Version of the format that is read and written.
pub const FORMAT: u32 = 1;
/// Longest scene file (bytes): a million bodies written out one by one are larger than any scene by hand.
pub const LONGEST_FILE: u64 = 64 << 20;
/// Most bodies in a scene.
pub const MAX_BODIES: usize = 1_000_000;
/// Longest run, in steps.
pub const MAX_STEPS: f64 = 1e9;
/// Overlapping pairs named in one message.
pub const MAX_OVERLAPS: usize = 20;
