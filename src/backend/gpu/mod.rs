//! WGSL kernels on a graphics processor: the only place that names wgpu.

pub mod bandwidth;
pub mod device;
pub mod features;
pub mod krylov;
pub mod measure;
pub mod numbers;
pub mod pairs;
pub mod program;
pub mod resident;
pub mod self_test;

pub use device::{Adapter, Bound, Device, Kernel, adapters};
pub use krylov::DeviceKrylov;
pub use pairs::Gpu;
pub use program::{Source, source};
pub use resident::{ResidentKernels, ResidentPairs};
