//! All records of a run as bodies with columns: for OVITO, and for NumPy.

mod arrays;
mod columns;
mod ovito;

pub use arrays::write_npz;
pub use ovito::{ParticleFormat, write_particles};
