//! WGSL kernels on a graphics processor: the only module that names wgpu.

pub mod bandwidth;
pub mod device;
pub mod flat;
pub mod pools;
pub mod program;
pub mod self_test;

pub use device::{Adapter, Bound, Device, Kernel, Traffic, adapters};
pub use flat::GpuFlat;
pub use program::{Source, source};
