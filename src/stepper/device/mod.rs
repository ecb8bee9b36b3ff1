//! The step on a backend: smooth pairs in batches, and islands whose pairs stay on the device.

mod linearize;
pub mod on_device;
pub mod pair_batch;
