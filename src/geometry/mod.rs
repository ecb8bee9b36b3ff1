//! Pure functions on shapes and poses: no bodies, no time, no solver.

pub mod mass_properties;
pub mod pose;
pub mod shape;

pub use pose::{Pose, Velocity};
pub use shape::Shape;
