//! The central path, followed by its length.

pub(crate) mod contact;
pub(crate) mod directions;
pub(crate) mod follow;
pub(crate) mod point;
pub(crate) mod saddle;
