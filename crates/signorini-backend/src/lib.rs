//! Evaluation of the contacts: by the CPU in place, or by a graphics processor in batches.
//!
//! A backend is given flat arrays described by [`signorini_kernels::types`] and knows nothing of steps or
//! formulations. It is asked for the rows of many smooth pairs at once; where it fails, the caller evaluates
//! the same kernels itself.

mod batch;
pub mod checked;
pub mod choice;
pub mod device_island;
pub mod differences;
mod fault;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod guarded;
mod interface;
mod precision;
pub mod sample;
pub mod twin;

pub use batch::{Batch, Evaluated};
pub use checked::Checked;
pub use device_island::{DeviceIsland, DeviceLinearization, IslandData};
pub use differences::Differences;
pub use fault::Fault;
pub use guarded::{Guarded, WorkDone};
pub use interface::Backend;
pub use precision::Precision;
pub use twin::Twin;
