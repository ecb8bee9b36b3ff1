//! Per-item pure functions, generic over [`crate::real::Real`]: what a shader's thread computes.

pub mod flat_atom;
pub mod pair_tangent;
pub mod piece_pair;
pub mod smooth_pair;
