//! Checkpoints: a simulation in one file, from which it goes on.
//!
//! The file knows nothing of simulations: it holds the poses and velocities of the bodies, which every
//! version reads, and sections of bytes for the version that wrote them.

mod durable;
mod file;
mod head;

pub use durable::write_durably;
pub use file::{Checkpoint, decode, encode};
pub use head::{Head, PlacedBody};
