//! The texts of all shaders, compiled in.

macro_rules! texts {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!($path))),*]
    };
}

/// Every file of the folder `shaders`, compiled in.
pub const TEXTS: &[(&str, &str)] = texts![
    "shared/flat_contact.wgsl",
    "shared/flat_flight.wgsl",
    "shared/grid.wgsl",
    "shared/linear.wgsl",
    "shared/pair_rows.wgsl",
    "shared/pair_tangent.wgsl",
    "shared/six.wgsl",
    "shared/smooth_pair.wgsl",
    "shared/types.wgsl",
    "arithmetic.wgsl",
    "block_jacobi.wgsl",
    "block_product.wgsl",
    "body_momentum.wgsl",
    "cone_projection.wgsl",
    "contact_rows.wgsl",
    "contact_slip.wgsl",
    "contact_weights.wgsl",
    "copy.wgsl",
    "dot_product.wgsl",
    "flat_change.wgsl",
    "flat_extrapolation.wgsl",
    "flat_gather.wgsl",
    "flat_sweep.wgsl",
    "flat_turn.wgsl",
    "krylov_scalars.wgsl",
    "natural_map.wgsl",
    "newton_blocks.wgsl",
    "pair_geometry.wgsl",
    "vector_sum.wgsl",
];
