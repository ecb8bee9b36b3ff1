//! Pure functions on shapes and poses: no bodies, no time, no solver.

pub mod adjacency;
pub mod bore;
pub mod bounds;
pub mod exposure;
pub mod flight;
pub mod hull;
pub mod linkage;
pub mod mass_properties;
pub mod periodic;
pub mod polytope;
pub mod pose;
pub mod shape;
pub mod surface;
pub mod touch;

pub use periodic::{Image, PeriodicBox};
pub use polytope::Polytope;
pub use pose::{Pose, Velocity};
pub use shape::Shape;
pub use surface::Surface;
pub use touch::{ContactKind, Touch};
