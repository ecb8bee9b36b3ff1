//! Data on the device of an island whose pairs are kept on it.

use signorini_backend::{DeviceIsland, DeviceLinearization, IslandData};

/// Data on the device of an island.
#[derive(Debug, Default)]
pub struct OnDevice {
    pub(in crate::stepper) pairs: Option<Box<dyn DeviceIsland>>,
    /// Whether the device linearises the pairs of this set-up.
    pub(in crate::stepper) is_used: bool,
    /// Whether a refresh fetches the rows all the same.
    pub(in crate::stepper) fetches_rows: bool,
    /// Whether the last refresh linearised the pairs on the device.
    pub(in crate::stepper) is_current: bool,
    pub(in crate::stepper) island: IslandData,
    pub(in crate::stepper) linearization: DeviceLinearization,
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
