//! Kernels of the flat step: sweeps in f32, turns and sums of impulses in f64.

use crate::gpu::device::{Device, Kernel};
use crate::gpu::program::source;
use crate::{Fault, Precision};

/// Compiled kernels.
#[derive(Debug)]
pub struct FlatKernels {
    pub extrapolation: Kernel,
    pub impulses: Kernel,
    pub sweep: Kernel,
    pub turn: Kernel,
    pub gather: Kernel,
    pub change: Kernel,
    pub scalars: Kernel,
    pub explained: Kernel,
    pub answers: Kernel,
}

impl FlatKernels {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// When a kernel does not compile.
    pub fn new(device: &Device) -> Result<Self, Fault> {
        let narrow = |name: &str, entry: &str| device.compile_entry(&source(name, Precision::F32), entry);
        let wide = |name: &str, entry: &str| device.compile_entry(&source(name, Precision::F64), entry);
        Ok(Self {
            extrapolation: narrow("flat_extrapolation", "flat_extrapolation")?,
            impulses: narrow("flat_extrapolation", "flat_impulses")?,
            sweep: narrow("flat_sweep", "flat_sweep")?,
            turn: wide("flat_turn", "flat_turn")?,
            gather: wide("flat_gather", "flat_gather")?,
            change: narrow("flat_change", "flat_change")?,
            scalars: narrow("flat_change", "flat_scalars")?,
            explained: wide("flat_gather", "flat_explained")?,
            answers: wide("flat_gather", "flat_answers")?,
        })
    }
}
