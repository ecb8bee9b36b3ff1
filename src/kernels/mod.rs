//! Per-item pure functions, generic over [`crate::real::Real`]: what a shader's thread computes.

pub mod block_jacobi;
pub mod block_product;
pub mod body_momentum;
pub mod box_axis;
pub mod box_half_space;
pub mod candidate_gap;
pub mod cone_projection;
pub mod contact_rows;
pub mod contact_slip;
pub mod contact_weights;
pub mod device_pairs;
pub mod dot_product;
pub mod flat_point;
pub mod krylov_scalars;
pub mod natural_map;
pub mod newton_blocks;
pub mod pair_geometry;
pub mod pair_rows;
pub mod pair_tangent;
pub mod piece_pair;
pub mod smooth_pair;
pub mod types;
pub mod vector_sum;
pub mod wrench;
