//! Parts of bodies at the end of a step.

use super::placed::PlacedShape;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Part;

/// A part of a body at the end of a step.
#[derive(Debug, Clone)]
pub struct PartInStep {
    /// Size of the part (m); infinite for a half-space.
    pub size: f64,
    /// The shape.
    pub placed: PlacedShape,
    /// Motion of the surface over the body, world axes, about its centre of mass.
    pub surface: Option<Velocity>,
}

impl PartInStep {
    /// Places a part of a body at a pose of the body.
    pub fn new(part: &Part, pose: &Pose) -> Self {
        Self {
            size: part.shape.size().unwrap_or(f64::INFINITY),
            placed: PlacedShape::new(&part.shape, &part.pose, pose),
            surface: surface_at(part, pose),
        }
    }
}

/// Motion of the surface of a part over its body at a pose, world axes.
pub fn surface_at(part: &Part, pose: &Pose) -> Option<Velocity> {
    part.surface.map(|surface| surface.rotated(&pose.rotation()))
}
