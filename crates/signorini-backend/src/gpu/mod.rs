//! WGSL kernels on a graphics processor: the only module that names wgpu.

pub mod bandwidth;
pub mod device;
pub mod flat;
pub mod island;
pub mod krylov;
pub mod numbers;
pub mod pairs;
pub mod program;
pub mod self_test;

pub use device::{Adapter, Device, Traffic, adapters};
pub use device::{Bound, Kernel};
pub use flat::GpuFlat;
pub use island::{GpuIsland, IslandKernels};
pub use krylov::DeviceKrylov;
pub use pairs::Gpu;
pub use program::{Source, source};
