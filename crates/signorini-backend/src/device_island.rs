//! Smooth pairs that stay on a device from one refresh of the step problem to the next.

use super::{Batch, Evaluated, Fault};
use signorini_kernels::device_pairs::DevicePairs;
use signorini_kernels::types::{ContactLawState, PairGeometry};

/// What is known of the bodies and contacts of a batch beside their poses. The moving bodies come first in
/// the batch.
#[derive(Debug, Clone, Default)]
pub struct IslandData {
    /// Moving bodies.
    pub n_moving: usize,
    /// [`signorini_kernels::body_momentum::BODY`] numbers of each: A less body terms, A v_k − b, and zeros.
    pub bodies: Vec<f64>,
    /// A⁻¹ of each, 36 numbers by rows.
    pub inverse: Vec<f64>,
    /// x and μ of each contact; the rest is not looked at.
    pub contacts: Vec<ContactLawState<f64>>,
}

impl IslandData {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.n_moving = 0;
        self.bodies.clear();
        self.inverse.clear();
        self.contacts.clear();
    }
}

/// What comes back when pairs are linearised on a device: all but their rows.
#[derive(Debug, Clone, Default)]
pub struct DeviceLinearization {
    /// Closest points.
    pub geometry: Vec<PairGeometry<f64>>,
    /// y and r of each contact.
    pub contacts: Vec<ContactLawState<f64>>,
    /// Natural map of each contact: normal, friction (N s).
    pub residual: Vec<[f64; 2]>,
    /// A v − b − Jᵀ x.
    pub momentum: Vec<f64>,
}

/// The pairs of one island on a device.
pub trait DeviceIsland: DevicePairs + Sync {
    /// Evaluates a batch like [`super::Backend::evaluate`], but its rows stay on the device. Where slip and
    /// forces are not exact, `out` is left alone.
    ///
    /// # Errors
    /// When the device cannot.
    fn linearize(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault>;

    /// The rows after all.
    ///
    /// # Errors
    /// When the device cannot.
    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault>;

    /// Why the pairs are gone.
    fn fault(&self) -> Option<Fault>;
}
