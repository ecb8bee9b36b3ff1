//! Joints in the step problem.

mod coupling;
mod guide;
mod model;
mod part;
mod stiffness;

pub use coupling::{CoupledEnd, CouplingModel, add_reaction};
pub use guide::Guide;
pub use model::{Clock, JointMemory, JointModel, placement};
pub use part::{JointStart, Part, Role};
