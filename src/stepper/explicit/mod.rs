//! Common parts of the geometrically explicit models: contacts and linearised gaps of the START of the step,
//! one linear contact problem per island, end state and contact records.

mod formulation;
mod linear_island;
mod point_cone;
mod records;
mod warm_start;

pub use formulation::{Explicit, blend};
pub use linear_island::LinearIsland;
pub use point_cone::PointCone;
pub use warm_start::{load_warm_start, solve_by_proximal};
