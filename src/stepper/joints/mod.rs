//! Joints in the step problem.

mod model;

pub use model::{Clock, JointMemory, JointModel, Part, placement};
