//! The contact law: impulses as a projection, its derivative, and how far a point is from obeying it.

pub mod derivative;
mod evaluation;
mod natural_map;
pub mod projection;
mod shift;

pub use derivative::{ContactStatus, ProjectionDerivative};
pub use evaluation::{Law, Proximal, clamp_to_bounds};
pub use natural_map::natural_map;
