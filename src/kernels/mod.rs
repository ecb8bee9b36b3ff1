//! Per-item pure functions, generic over [`crate::real::Real`]: what a shader's thread computes.

pub mod contact_rows;
pub mod flat_atom;
pub mod pair_geometry;
pub mod pair_tangent;
pub mod smooth_pair;
pub mod types;
pub mod wrench;
