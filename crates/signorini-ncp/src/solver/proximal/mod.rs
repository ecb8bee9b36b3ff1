//! The proximal point method with Newton's method inside.

pub mod inner;
pub mod on_device;
pub mod outer;
pub mod penalty;
