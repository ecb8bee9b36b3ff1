//! The proximal point method with Newton's method inside.

pub mod active_set;
mod infeasibility;
pub mod inner;
pub mod outer;
pub mod penalty;
