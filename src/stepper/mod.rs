//! One time step.

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
mod scales;
mod scheme;
pub mod staggered;
pub mod step_context;
mod stepper_trait;

pub use memory::Memory;
pub use models::{Compliant, ConeComplementarity, ImplicitNcp, StewartTrinkle};
pub use stepper_trait::Stepper;
