//! The solver on core problems with known answers, without a scene.

mod bounded_rows;
mod fclib;
mod moving_rows;
