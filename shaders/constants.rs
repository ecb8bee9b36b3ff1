//! Numbers of the kernels that have no unit of their own: each has one value here, and goes to the shaders by
//! its name.

use super::flat_parameters as flat;

/// Unknowns of a body: three of linear, three of angular velocity.
pub const BLOCK: usize = 6;

/// The first axis completes a normal to a frame while the normal's first component is below this.
pub const PICK: f64 = 0.6;
/// Largest turn of a normal in one Newton step (rad): beyond it the quadratic model on the sphere is
/// worthless.
pub const LARGEST_TURN: f64 = 0.7;
/// Iterations after which a search for a normal gives up.
pub const MOST_ITERATIONS: usize = 60;
/// The 2×2 block of a Newton step counts as positive definite above this fraction of its trace.
pub const INDEFINITE: f64 = 1e-12;
/// An indefinite 2×2 block is shifted to this fraction of its trace.
pub const SHIFT: f64 = 1e-3;
/// Closest points are found to this fraction of the bodies' support widths (theory §3.1).
pub const CLOSEST_POINT_TOLERANCE: f64 = 1e-13;

/// Friction fades to one value in all tangents where the sine of the angle between friction direction and
/// normal is below this (1).
pub const GRAIN_FADES: f64 = 0.1;
/// Two normals are opposite, with no smallest rotation between them, where 1 + cosine is below this.
pub const OPPOSITE: f64 = 1e-6;

/// Integers that are injected into the shaders by name, beside the flags of a [`super::types::PairKey`].
pub const COUNTS: &[(&str, u32)] =
    &[("MOST_ITERATIONS", MOST_ITERATIONS as u32), ("FLAT_TERMS", flat::TERMS as u32)];

/// Numbers that are injected as f32 in both precisions.
pub const NARROW: &[(&str, f64)] = &[
    ("FLAT_LEAST_STEP", flat::LEAST_STEP),
    ("FLAT_MOST_BETA", flat::MOST_BETA),
    ("FLAT_RECENTRE", flat::RECENTRE as f64),
];

/// Numbers that are injected into the shaders by name.
pub const CONSTANTS: &[(&str, f64)] = &[
    ("HALF", 0.5),
    ("PICK", PICK),
    ("LARGEST_TURN", LARGEST_TURN),
    ("INDEFINITE", INDEFINITE),
    ("SHIFT", SHIFT),
    ("FLAT_SIXTH", 6.0),
    ("FLAT_TWELFTH", 12.0),
    ("FLAT_MOST_TURN", flat::MOST_TURN),
    ("FLAT_MISMATCH", flat::MISMATCH),
    ("FLAT_SHORT_TANGENT", flat::SHORT_TANGENT),
    ("FLAT_LEAST_RESPONSE", flat::LEAST_RESPONSE),
    ("FLAT_FRICTION_STEP", flat::FRICTION_STEP),
    ("FLAT_LEAST_SQUARE", flat::LEAST_SQUARE),
];
