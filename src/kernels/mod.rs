//! Per-item pure functions, generic over [`crate::real::Real`]: what a shader's thread computes.
//!
//! Those that no path on the CPU calls serve the tests, which compare them with their shaders.

#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod block_jacobi;
pub mod block_product;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod body_momentum;
pub mod box_axis;
pub mod box_half_space;
pub mod candidate_gap;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod cone_projection;
pub mod constants;
pub mod contact_rows;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod contact_slip;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod contact_weights;
pub mod device_pairs;
pub mod device_sweeps;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod dot_product;
pub mod flat_point;
pub mod grain;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod krylov_scalars;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod natural_map;
pub mod newton_blocks;
pub mod pair_geometry;
pub mod pair_rows;
pub mod pair_tangent;
pub mod piece_pair;
pub mod smooth_pair;
pub mod sweep_batch;
pub mod sweep_change;
pub mod sweep_contacts;
pub mod sweep_extrapolation;
pub mod sweep_follow;
pub mod sweep_map;
pub mod types;
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod vector_sum;
pub mod wrench;
