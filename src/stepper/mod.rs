//! One time step.
//!
//! From the top: `models` (which contact law holds, where geometry is evaluated, who solves an island),
//! `frame` (the loop that takes the step of every model) with `scheme` (the operations of one model),
//! `island_step` (the solve of an island's step, and the measures where it fails), `halving`, `staggered`
//! (the second-order integrator), `explicit` (common parts of models with the geometry of the start),
//! `island` (the problem of one island, with the geometry of the end), `joints` (their rows), `step_context`
//! (the data that all islands share during a step).

mod blocks;
mod culling;
pub mod explicit;
mod frame;
pub mod halving;
pub mod island;
mod island_step;
pub mod joints;
mod memory;
mod models;
mod placed_bodies;
mod scheme;
pub mod staggered;
pub mod step_context;
mod stepper_trait;

pub use memory::Memory;
pub use models::{Compliant, ConeComplementarity, ImplicitNcp, StewartTrinkle};
pub use stepper_trait::Stepper;
