//! The central path, followed by its length.

pub mod contact;
pub mod directions;
pub mod follow;
pub mod point;
pub mod saddle;
