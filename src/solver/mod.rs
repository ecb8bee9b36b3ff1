//! HOW problems are solved. Knows problems and numbers, not scenes.

pub mod law;
pub mod linear;
pub mod newton_system;
pub mod proximal_newton;
pub mod settings;
pub mod status;

pub use linear::LinearProblem;
pub use proximal_newton::{Budget, Iterate, ProximalNewton, StepProblem};
pub use settings::CoreSettings;
pub use status::{Info, Residual, SolveStatus};
