//! The flat step on a device: kernels, and what they share from solve to solve.

mod kernels;
mod shared;
mod solve;

use super::device::Device;
use super::self_test::self_test;
use crate::{Backend, Fault, Precision};
use kernels::FlatKernels;
use shared::Shared;
use signorini_kernels::device_flat::{FlatArrays, FlatOnDevice, FlatSolve, Lost};
use solve::GpuFlatSolve;
use std::sync::Arc;

/// Number of contacts from which a device takes an island. A sweep takes some fifteen dispatches in a row, of
/// microseconds each; meanwhile a core sweeps some thousand contacts.
pub const FEWEST: usize = 2000;

/// A device that takes the flat step.
#[derive(Debug, Clone)]
pub struct GpuFlat {
    shared: Arc<Shared>,
    fewest: usize,
}

impl GpuFlat {
    /// Compiles the kernels after the device has passed its self-test.
    ///
    /// # Errors
    /// When the device does not compute in f64, which geometry asks for, or fails.
    pub fn new(device: Arc<Device>) -> Result<Self, Fault> {
        if !device.supports(Precision::F64) {
            return Err(Fault::Missing(format!("{} does not compute in f64", device.name())));
        }
        for precision in [Precision::F32, Precision::F64] {
            self_test(&device, precision)?;
        }
        let kernels = FlatKernels::new(&device)?;
        let shared = Shared { device, kernels, pools: Default::default(), fault: Default::default() };
        Ok(Self { shared: Arc::new(shared), fewest: FEWEST })
    }

    /// Returns the same for islands of so many contacts or more.
    pub fn from(&self, fewest: usize) -> Self {
        Self { fewest, ..self.clone() }
    }
}

impl Backend for GpuFlat {
    fn name(&self) -> String {
        self.shared.device.name().to_owned()
    }

    fn flat(&self) -> Arc<dyn FlatOnDevice> {
        Arc::new(self.clone())
    }

    fn take_fault(&self) -> Option<Fault> {
        self.shared.fault.lock().unwrap_or_else(|e| e.into_inner()).take()
    }
}

impl FlatOnDevice for GpuFlat {
    fn fewest(&self) -> usize {
        self.fewest
    }

    fn load(self: Arc<Self>, arrays: &FlatArrays) -> Result<Box<dyn FlatSolve>, Lost> {
        match GpuFlatSolve::new(Arc::clone(&self.shared), arrays) {
            Ok(solve) => Ok(Box::new(solve)),
            Err(fault) => Err(self.shared.note(fault)),
        }
    }
}
