//! HOW problems are solved. Knows problems and numbers, not scenes.

pub mod status;

pub use status::{Info, Residual, SolveStatus};
