//! Data on the device of an island whose pairs are kept on it.

use signorini_backend::{DeviceIsland, DeviceLinearization, IslandData};

/// Data on the device of an island.
#[derive(Debug, Default)]
pub struct OnDevice {
    pub(super) pairs: Option<Box<dyn DeviceIsland>>,
    /// Whether the device linearises the pairs of this set-up.
    pub(super) is_used: bool,
    /// Whether a refresh fetches the rows all the same.
    pub(super) fetches_rows: bool,
    /// Whether the last refresh linearised the pairs on the device.
    pub(super) is_current: bool,
    pub(super) island: IslandData,
    pub(super) linearization: DeviceLinearization,
}

impl OnDevice {
    /// Begins a new set-up: nothing on the device is used.
    pub fn reset(&mut self) {
        (self.is_used, self.is_current) = (false, false);
    }

    /// Whether the last refresh linearised the pairs on the device.
    pub fn is_current(&self) -> bool {
        self.is_current
    }

    /// Whether the rows are on the device only.
    pub fn keeps_rows(&self) -> bool {
        !self.fetches_rows && self.pairs.as_ref().is_some_and(|p| p.is_exact())
    }
}
