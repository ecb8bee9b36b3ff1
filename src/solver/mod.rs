//! HOW problems are solved. Knows problems and numbers, not scenes.

pub mod inner_newton;
pub mod law;
pub mod newton_system;
pub mod proximal_newton;
pub mod settings;
pub mod status;

pub use proximal_newton::{Budget, Iterate, ProximalNewton, StepProblem};
pub use settings::CoreSettings;
pub use status::{Info, Residual, SolveStatus};
