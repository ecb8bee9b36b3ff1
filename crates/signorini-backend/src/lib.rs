//! Large islands in flat arrays on a graphics processor.
//!
//! A backend is given flat arrays described by [`signorini_kernels::device_flat`] and knows nothing of steps
//! or formulations. It makes the sweeps and turns of a solve; where it fails, the caller makes them itself.

mod fault;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod guarded;
mod interface;
mod precision;

pub use fault::Fault;
pub use guarded::{Guarded, WorkDone};
pub use interface::Backend;
pub use precision::Precision;
