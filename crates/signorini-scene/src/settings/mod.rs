//! Settings: meaning, unit, default, why, safe range. The ground of the crate: nothing of it is imported
//! here.

pub mod family;
mod fault;
mod solver;

pub use family::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, LcpMethod, LiteralBlock,
    LiteralRotation, LiteralSettings, Scheme, StewartTrinkleSettings,
};
pub use signorini_ncp::solver::{LinearSolver, Methods};
pub use solver::{Formulation, Gyroscopic, Integrator, SolverSettings};
