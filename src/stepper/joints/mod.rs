//! Joints in the step problem.

mod model;
mod part;
mod stiffness;

pub use model::{Clock, JointMemory, JointModel, placement};
pub use part::{JointStart, Part, Role};
