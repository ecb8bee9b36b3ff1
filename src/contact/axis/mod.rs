//! The axis along which two bodies are furthest apart.

pub mod box_batch;
mod climb;
pub mod curved_axis;
pub mod many_faces;
pub mod precomputed;
pub mod separating_axis;
