//! The proximal point method with Newton's method inside.

pub(crate) mod inner;
pub(crate) mod on_device;
pub(crate) mod outer;
pub(crate) mod penalty;
