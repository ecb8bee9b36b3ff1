//! One time step of each model. README.md beside this file states the problem, who owns what, and the order
//! of calls.
//!
//! From the top: `models` (which contact law holds, where geometry is evaluated, who solves an island),
//! `step_loop` (the loop that takes the step of every model) with `formulation` (the operations of one
//! model), `island` (the problem of one island with the geometry of the end, and its step on one page),
//! `impact` (the impact phase), `staggered` (the second-order integrator), `explicit` (common parts of models
//! with the geometry of the start), `joints` (rows of joints), `flat` (large islands in flat arrays),
//! `step_context` (the data that all islands share during a step), `parameters` (all numbers).

mod blocks;
pub mod explicit;
mod flat;
mod formulation;
pub mod impact;
pub mod island;
mod islands;
pub mod joints;
mod memory;
mod models;
pub mod parameters;
mod placed_bodies;
pub mod staggered;
pub mod step_context;
mod step_loop;
mod stepper_trait;

pub use island::derivative::{AT_ONCE, DrivenPath, IslandDerivative, Obstacle};
pub use memory::Memory;
pub use models::{Compliant, ConeComplementarity, ImplicitNcp, StewartTrinkle};
pub use stepper_trait::Stepper;
