//! Strategies of a solve. [`crate::solver::solve`] lists their order; each works on one state and says how it
//! ended.

pub mod first_order;
pub mod homotopy;
pub mod newton;
pub mod restart;
pub mod state;
