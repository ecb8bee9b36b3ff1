//! The solver on core problems with known answers, without a scene.

mod bounded_rows;
#[cfg(feature = "cli")]
mod fclib;
mod moving_rows;
