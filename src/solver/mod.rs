//! HOW problems are solved. Knows problems and numbers, not scenes.

mod active_set;
mod central_path;
pub mod cold;
pub mod convex;
mod info;
mod interior_point;
mod iterate;
pub mod law;
pub mod lemke;
mod linear_problem;
pub mod linear_system;
mod linearized_problem;
mod memory;
mod path;
mod path_schedule;
mod proximal;
mod residual;
pub mod settings;
mod status;
mod step_problem;
mod strategy;

pub use convex::apgd::{Apgd, ConicValue};
pub use convex::primal_newton::PrimalNewton;
pub use info::{Info, Times};
pub use iterate::Iterate;
pub use linear_problem::{Judge, LinearProblem};
pub use memory::SolverMemory;
pub use residual::Residual;
pub use settings::{CoreSettings, LinearSolver};
pub use status::{Phase, SolveStatus};
pub use step_problem::StepProblem;
pub use strategy::{Solver, solve};
