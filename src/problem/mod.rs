//! WHAT equations are solved, as plain data. Conversions are functions named `x_as_y`.

pub mod contact_law;
pub mod contact_problem;
pub mod fclib;

pub use contact_law::ContactLaw;
pub use contact_problem::{Cone, ContactProblem, Scaling, Stiffness};
