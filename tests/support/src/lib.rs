//! What the tests share: scenes, runs that are held to the promise, steps with a known answer.

pub mod judged_steps;
pub mod runs;
