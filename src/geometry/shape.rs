//! The shapes a body can have, in the shape's own frame.

use nalgebra::Vector3;

/// A convex shape in its own frame. A sphere is an ellipsoid with three equal semi-axes.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// { x : Σ (x_i / a_i)² ≤ 1 }.
    Ellipsoid {
        /// Semi-axes a (m, > 0).
        semi_axes: Vector3<f64>,
    },
    /// { x : normal·x ≤ offset }: the normal points out of the solid. Only a fixed body may have it.
    HalfSpace {
        /// Outer unit normal.
        normal: Vector3<f64>,
        /// Signed distance of the plane from the frame's origin along the normal (m).
        offset: f64,
    },
}

impl Shape {
    /// The word for the kind of shape.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::HalfSpace { .. } => "half-space",
        }
    }

    /// A length that says how big the shape is (m): the mean semi-axis. None for a half-space, which has no size.
    pub fn size(&self) -> Option<f64> {
        match self {
            Shape::Ellipsoid { semi_axes } => Some(semi_axes.mean()),
            Shape::HalfSpace { .. } => None,
        }
    }

    /// Radius about the shape's origin of a ball that holds the shape (m), infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Ellipsoid { semi_axes } => semi_axes.max(),
            Shape::HalfSpace { .. } => f64::INFINITY,
        }
    }
}
