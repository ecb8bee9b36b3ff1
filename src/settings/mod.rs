//! Settings: meaning, unit, default, why, safe range. The ground of the crate: nothing of it is imported
//! here.

pub mod family;
mod fault;
mod methods;
mod solver;

pub use family::{
    AutoSettings, CompliantFriction, CompliantSettings, ConeMethod, ConeSettings, LcpMethod, LiteralBlock,
    LiteralRotation, LiteralSettings, Scheme, StewartTrinkleSettings,
};
pub use methods::Methods;
pub use solver::{Formulation, Gyroscopic, Integrator, LinearSolver, SolverSettings};
