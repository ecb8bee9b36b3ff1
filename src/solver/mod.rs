//! HOW problems are solved. Knows problems and numbers, not scenes.

mod active_set;
pub mod admm;
pub mod apgd;
mod attempts;
mod central_path;
pub mod coulomb_apgd;
mod frozen;
mod frozen_problem;
pub mod gauss_seidel;
pub mod inner_newton;
mod interior_point;
pub mod law;
pub mod lemke;
pub mod linear;
pub mod local_contact;
pub mod mass_factor;
pub mod newton_system;
mod path_contact;
mod path_directions;
mod path_following;
mod path_point;
mod path_saddle;
pub mod primal_newton;
pub mod projection;
pub mod proximal_newton;
pub mod settings;
mod shift;
pub mod solve;
pub mod status;

pub use apgd::{Apgd, ConicValue};
pub use linear::LinearProblem;
pub use primal_newton::PrimalNewton;
pub use proximal_newton::{Budget, Iterate, ProximalNewton, StepProblem};
pub use settings::{CoreSettings, LinearSolver};
pub use solve::{Solver, solve};
pub use status::{Info, Phase, Residual, SolveStatus, Times};
