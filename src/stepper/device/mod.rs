//! The step on a backend: bounds of gaps, smooth pairs and boxes in batches, and islands whose pairs stay on
//! the device.

pub mod box_batch;
pub mod culling;
mod linearize;
pub mod on_device;
pub mod pair_batch;
