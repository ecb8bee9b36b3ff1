//! Nonlinear Gauss–Seidel for many contacts, in flat arrays: geometry in turn, sweeps, check.
//!
//! The step of many bodies ends where gaps, contact impulses and friction fulfil the contact conditions at
//! the END poses. Passes, in their order:
//!
//! - **Sweep** ([`sweep`]): each contact solved in turn with the others held, in f32, on changes of velocity.
//! - **Turn** ([`turn`]): a sweep in which each contact first finds its geometry anew at the velocities now.
//! - **Check** ([`check`]): the true residual in f64, which decides and writes nothing.
//!
//! No pass needs a derivative of the geometry.

pub mod batch;
pub mod bodies;
pub mod change;
pub mod check;
pub mod closest;
pub mod conjugate;
pub mod ends;
pub mod extrapolation;
pub mod flight;
pub mod geometry;
pub mod guide;
mod heights;
pub mod holding;
mod holds;
pub mod layout;
pub mod load;
pub mod moving;
pub mod numbers;
mod on_device;
pub mod parameters;
pub mod passes;
pub mod patch;
pub mod problem;
pub mod progress;
pub mod region;
pub mod rolling;
pub mod rolling_rows;
pub mod sections;
pub mod sent;
mod shared_results;
pub mod shares;
pub mod simd;
#[cfg(target_arch = "x86_64")]
mod simd_x86;
pub mod solve;
pub mod surfaces;
pub mod sweep;
pub mod sweep_by;
pub mod turn;
pub mod turn_series;
mod units;
pub mod visit;

pub use guide::{Drive, Guide, Hold};
pub use layout::Side;
pub use patch::batch::PatchSeen;
pub use patch::manifold::{Manifold, Name, Point};
pub use patch::solid::{Solid, SolidPart};
pub use problem::{Body, Contact, Flight, GivenBody, Outcome, Patch, PatchMemory, Problem, Residual, Touch};
pub use rolling::Resistance;
pub use solve::FlatSolver;
pub use surfaces::{Closest, Known, Start, Surfaces};
