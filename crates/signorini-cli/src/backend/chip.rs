//! The device that `signorini bench` measures.

use signorini_backend::Backend;
use std::sync::Arc;

/// The best device of the machine, and what is known of it.
pub struct Chip {
    /// The device.
    pub backend: Arc<dyn Backend>,
    /// Names of the device and its driver.
    pub facts: Vec<(&'static str, String)>,
    /// Whether it is a program, not a chip.
    pub is_software: bool,
    /// Bytes of the largest array that a kernel can see.
    pub largest_binding: u64,
    /// Bytes read and written per second by a copy.
    pub copied: f64,
}
