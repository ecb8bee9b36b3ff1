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
    "shared/smooth_pair.wgsl",
    "shared/types.wgsl",
    "arithmetic.wgsl",
    "copy.wgsl",
    "flat_change.wgsl",
    "flat_extrapolation.wgsl",
    "flat_gather.wgsl",
    "flat_sweep.wgsl",
    "flat_turn.wgsl",
];
