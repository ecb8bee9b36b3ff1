//! Settings: meaning, unit, default, reason and safe range of each. They import nothing of the crate.

pub mod family;
mod fault;
mod solver;

pub use family::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, LcpMethod, LiteralBlock,
    LiteralRotation, LiteralSettings, StewartTrinkleSettings, ThetaScheme,
};
pub use signorini_ncp::solver::LinearSolver;
pub use solver::{Formulation, Gyroscopic, Integrator, SolverSettings};
