//! First-order stage: projected Gauss–Seidel sweeps over the linearized problem, eight contacts at once, with
//! conjugate extrapolation (theory §6.9).

mod colours;
mod conjugate;
mod lagged;
mod lanes;
mod method;
mod moved;
mod roots;
mod rows;
mod sweep;

pub use method::{Goal, Sweeps, applies};
pub use rows::Start;
