//! Common parts of the geometrically explicit models: contacts and linearised gaps of the START of the step,
//! one linear contact problem per island, end state and contact records.

mod linear_island;
mod memory;
mod point_cone;
mod records;
mod scheme;

pub use linear_island::LinearIsland;
pub use memory::{solve_by_core, start};
pub use point_cone::PointCone;
pub use scheme::{Explicit, blend};
