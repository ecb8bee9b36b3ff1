//! Smooth pairs that are kept on a device from one refresh of the step problem to the next.

use super::{Batch, Evaluated, Fault};
use signorini_kernels::device_pairs::DevicePairs;
use signorini_kernels::types::{ContactLawState, PairGeometry};

/// Data of the bodies and contacts of a batch beside their poses. The moving bodies come first in the batch.
#[derive(Debug, Clone, Default)]
pub struct IslandData {
    /// Number of moving bodies.
    pub n_moving: usize,
    /// Data of each moving body, [`signorini_kernels::body_momentum::BODY`] numbers: A less body terms,
    /// A v_k − b, and zeros.
    pub bodies: Vec<f64>,
    /// Inverse A⁻¹ of each moving body, 36 numbers by rows.
    pub inverse: Vec<f64>,
    /// Impulses x and coefficient μ of each contact; the other fields are not used.
    pub contacts: Vec<ContactLawState<f64>>,
}

impl IslandData {
    /// Removes all items, and keeps the memory.
    pub fn clear(&mut self) {
        self.n_moving = 0;
        self.bodies.clear();
        self.inverse.clear();
        self.contacts.clear();
    }
}

/// Results of pairs linearised on a device: all but their rows.
#[derive(Debug, Clone, Default)]
pub struct DeviceLinearization {
    /// Closest points of each pair.
    pub geometry: Vec<PairGeometry<f64>>,
    /// Slip y and weights r of each contact.
    pub contacts: Vec<ContactLawState<f64>>,
    /// Natural map of each contact: normal, friction (N s).
    pub residual: Vec<[f64; 2]>,
    /// Momentum A v − b − Jᵀ x.
    pub momentum: Vec<f64>,
}

/// The pairs of one island on a device.
pub trait DeviceIsland: DevicePairs + Sync {
    /// Evaluates a batch like [`super::Backend::evaluate`], but keeps its rows on the device. Where slip and
    /// forces are not exact, `out` is left alone.
    ///
    /// # Errors
    /// When the device fails.
    fn linearize(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault>;

    /// Fetches the rows.
    ///
    /// # Errors
    /// When the device fails.
    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault>;

    /// Fault by which the pairs were lost, if any.
    fn fault(&self) -> Option<Fault>;
}
