//! First-order stage: projected Gauss–Seidel sweeps over the linearized problem, eight contacts at once, with
//! conjugate extrapolation (theory §6.9).

mod batch;
mod colours;
mod conjugate;
mod damping;
mod fill;
mod lagged;
mod lanes;
mod method;
mod moved;
mod moving;
mod natural_map;
mod parts;
mod roots;
mod rounds;
mod rows;
mod section;
mod sweep;

pub use damping::is_stiff;
pub use method::{Sweeps, applies};
pub use rounds::SweepLimits;
pub use rows::Start;
