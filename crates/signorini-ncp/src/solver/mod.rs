//! Solver of frictional contact problems. `solve.rs` shows a whole solve on one page; README.md
//! beside this file states the problem and the parts of the solver.

pub mod admm;
mod central_path;
pub mod convex;
mod info;
mod interior_point;
mod iterate;
pub mod law;
pub mod lemke;
mod linear_problem;
pub mod linear_system;
mod linearized_problem;
mod options;
mod own_method;
pub mod parameters;
mod path;
mod proximal;
mod residual;
mod sensitivity;
mod solve;
mod status;
mod step_problem;
mod strategies;
pub mod sweeps;

pub use convex::apgd::{Apgd, ConicValue};
pub use convex::primal_newton::PrimalNewton;
pub use info::{Info, Times};
pub use iterate::Iterate;
pub use linear_problem::{Judge, LinearProblem};
pub use linearized_problem::LinearizedProblem;
pub use options::{LinearSolver, Methods, RefinementTarget, SolveOptions, is_stop_requested, request_stop};
pub use own_method::OwnMethod;
pub use residual::{Residual, linear_momentum, residual_at};
pub use sensitivity::{Cause, CauseGradient, Effect, Product, Sensitivity};
pub use solve::{Solver, SolverMemory, solve, solve_cold};
pub use status::{Phase, SolveStatus};
pub use step_problem::{Hint, Query, StepProblem};
pub use strategies::first_order::is_swept;
