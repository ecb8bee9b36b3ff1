//! The axis along which two bodies are furthest apart.

mod climb;
pub mod curved_axis;
pub mod many_faces;
pub mod separating_axis;
