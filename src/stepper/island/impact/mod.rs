//! The impact phase of a step (theory §13): once the bodies of an island are at the end of the step, what
//! struck there is solved again for its velocities, from those of the start of the step. By Newton's law that
//! is one solve; by Poisson's a compression, and an expansion from where it ended.

mod approach;
mod find;
mod problem;
mod search;

pub use find::Impact;
