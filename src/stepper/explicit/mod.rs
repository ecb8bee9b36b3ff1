//! What the geometrically explicit models share.

mod records;
mod step;

pub use step::{ExplicitStep, Frozen, PointCone, blend, solve_by_core, start};
