//! What the geometrically explicit models share.

mod records;
mod step;

pub use step::{ContactPoint, ExplicitStep, Frozen, blend, solve_by_core, start};
