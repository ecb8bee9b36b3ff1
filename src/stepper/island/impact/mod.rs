//! The impact phase of a step (theory §13): once the bodies of an island are at the end of the step, what
//! struck there is solved again for its velocities, from those of the start of the step.

mod approach;
mod find;
mod problem;

pub use find::Impact;
