//! Joints in the step problem.

mod clock;
mod coupling;
mod guide;
mod model;
mod part;
mod places;
mod stiffness;

pub use coupling::{CoupledEnd, CouplingModel, add_reaction};
pub use guide::Guide;
pub use model::{Clock, JointMemory, JointModel, placement};
pub use part::{JointStart, Part, Role};
pub use places::{PLACES, PlaceSlopes, SlopesOf};
