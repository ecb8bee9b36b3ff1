//! Properties of a part besides its shape: its material, and how its surface runs over it.

use super::report::Check;
use signorini_geometry::Velocity;

/// Properties of a part besides its shape.
#[derive(Clone, Copy)]
pub struct PartProperties {
    /// Index of the material.
    pub material: usize,
    /// How the surface runs over the body, axes of the frame in which the body is given, about its origin.
    pub surface: Option<Velocity>,
}

/// The surface velocity of an entry whose fields have `place` before their names; None where neither is
/// given, or both are zero.
pub fn surface(
    place: &str,
    (linear, angular): (Option<[f64; 3]>, Option<[f64; 3]>),
    check: &mut Check,
) -> Option<Velocity> {
    let mut found = |name: &str, given: Option<[f64; 3]>| {
        check.vector(&format!("{place}{name}"), given.unwrap_or_default())
    };
    let linear = found("surface_velocity", linear);
    let surface = Velocity { linear, angular: found("surface_angular_velocity", angular) };
    Some(surface).filter(|surface| *surface != Velocity::default())
}
