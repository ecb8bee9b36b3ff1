//! The impact phase of a step (theory §13): once the bodies of an island are at the end of the step, the
//! contacts that struck are solved again for velocities, from those of the start of the step. By Newton's law
//! that is one solve; by Poisson's law it is a compression, and an expansion from its end.

mod approach;
mod arrival;
mod find;
mod problem;
mod search;

pub use approach::{at_threshold, before, closing_speed, slowest};
pub use arrival::Arrival;
pub use find::Impact;
