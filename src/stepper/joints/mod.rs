//! Joints in the step problem.

mod model;

pub use model::{Clock, JointModel, Link, Part, placement};
