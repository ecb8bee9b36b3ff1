//! WHAT equations, as plain data: bodies as blocks of six unknowns, contacts as rows over them.

pub mod contact_problem;
pub mod fclib;

pub use contact_problem::{Cone, ContactProblem, Scaling, Stiffness};
