//! Frictional contact of many rigid bodies as a problem of its own: find velocities v and contact impulses x
//! with M v = f + Jᵀ x, where each x lies in its contact's cone and is complementary to the slip there.
//!
//! The crate knows blocks of six unknowns for each body and rows over them; it knows no scene, no shape and
//! no time. [`problem`] holds the equations, [`linalg`] the sparse algebra on 6×6 blocks, [`solver`] the
//! methods.

pub mod linalg;
pub mod problem;
pub mod solver;
pub mod threads;
