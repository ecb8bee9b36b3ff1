//! All that solves on a device share: kernels, buffers that are kept, and the fault of a solve.

use super::kernels::FlatKernels;
use crate::Fault;
use crate::gpu::device::Device;
use crate::gpu::pools::{BufferPool, ObjectPool};
use signorini_kernels::device_flat::Lost;
use std::sync::{Arc, Mutex};

/// Device and kernels, buffers, and the first fault.
#[derive(Debug)]
pub struct Shared {
    pub device: Arc<Device>,
    pub kernels: FlatKernels,
    pub pools: ObjectPool<BufferPool>,
    pub fault: Mutex<Option<Fault>>,
}

impl Shared {
    /// Keeps the first fault.
    pub fn note(&self, fault: Fault) -> Lost {
        self.fault.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(fault);
        Lost
    }
}
