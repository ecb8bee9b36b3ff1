//! The shapes a body can have, in the shape's own frame.

use super::Polytope;
use nalgebra::Vector3;
use std::sync::Arc;

/// A convex shape in its own frame. A sphere is an ellipsoid with three equal semi-axes.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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
    /// A convex polytope about its own centre of mass. Shared: a clone is cheap.
    Polytope(#[serde(with = "shared")] Arc<Polytope>),
    /// { x : x² + y² ≤ radius², |z| ≤ half_length }.
    Cylinder {
        /// Radius (m, > 0).
        radius: f64,
        /// Half the length along the axis, z of the shape frame (m, > 0).
        half_length: f64,
    },
    /// { x : |x − s z| ≤ radius for some |s| ≤ half_length }: all points within the radius of a line.
    Capsule {
        /// Radius (m, > 0).
        radius: f64,
        /// Half the length of the line, along z of the shape frame (m, > 0).
        half_length: f64,
    },
    /// { x : x² + y² ≥ radius² }: the solid around a bore, along z without end. Only a fixed or driven body
    /// may have it. It is concave: a body may touch it at several points, along several normals. So a body
    /// with a bore has it as several parts, one for each point of the bodies inside that may touch it.
    Bore {
        /// Radius (m, > 0).
        radius: f64,
        /// Index of the point of other shapes that this part is for, see
        /// [`corners_in_bore`](crate::bore::corners_in_bore).
        corner: usize,
    },
}

impl Shape {
    /// The word for the kind of shape.
    pub fn kind(&self) -> &'static str {
        match self {
            Shape::Ellipsoid { .. } => "ellipsoid",
            Shape::HalfSpace { .. } => "half-space",
            Shape::Polytope(_) => "polytope",
            Shape::Cylinder { .. } => "cylinder",
            Shape::Capsule { .. } => "capsule",
            Shape::Bore { .. } => "bore",
        }
    }

    /// Whether it is an ellipsoid, a sphere among them: round everywhere.
    pub fn is_ellipsoid(&self) -> bool {
        matches!(self, Shape::Ellipsoid { .. })
    }

    /// A length that says how big the shape is (m): the mean semi-axis of an ellipsoid, the mean half extent
    /// of a box, a cylinder or a capsule, [`Polytope::size`]. None for a half-space or a bore, which have no
    /// size.
    pub fn size(&self) -> Option<f64> {
        match self {
            Shape::Ellipsoid { semi_axes } => Some(semi_axes.mean()),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => None,
            Shape::Polytope(polytope) => Some(polytope.size),
            Shape::Cylinder { radius, half_length } => Some((2.0 * radius + half_length) / 3.0),
            Shape::Capsule { radius, half_length } => Some(radius + half_length / 3.0),
        }
    }

    /// Least distance of two parallel planes between which the shape fits (m), of a polytope over its faces;
    /// infinite for a half-space and a bore.
    pub fn least_width(&self) -> f64 {
        match self {
            Shape::Ellipsoid { semi_axes } => 2.0 * semi_axes.min(),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => f64::INFINITY,
            Shape::Polytope(p) => {
                let low = |n: &Vector3<f64>| n.dot(&p.vertices[p.support(&-n)]);
                p.faces.iter().map(|f| f.offset - low(&f.normal)).fold(f64::INFINITY, f64::min)
            }
            Shape::Cylinder { radius, half_length } => 2.0 * radius.min(*half_length),
            Shape::Capsule { radius, .. } => 2.0 * radius,
        }
    }

    /// Radius about the shape's origin of a ball that holds the shape (m); half-spaces and bores: infinite.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Shape::Ellipsoid { semi_axes } => semi_axes.max(),
            Shape::HalfSpace { .. } | Shape::Bore { .. } => f64::INFINITY,
            Shape::Polytope(polytope) => polytope.radius,
            Shape::Cylinder { radius, half_length } => radius.hypot(*half_length),
            Shape::Capsule { radius, half_length } => radius + half_length,
        }
    }

    /// The shape with all lengths multiplied by `factor` > 0.
    pub fn scaled(&self, factor: f64) -> Shape {
        match self {
            Shape::Ellipsoid { semi_axes } => Shape::Ellipsoid { semi_axes: semi_axes * factor },
            Shape::HalfSpace { normal, offset } => {
                Shape::HalfSpace { normal: *normal, offset: offset * factor }
            }
            Shape::Polytope(polytope) => Shape::Polytope(Arc::new(polytope.scaled(factor))),
            Shape::Cylinder { radius, half_length } => {
                Shape::Cylinder { radius: radius * factor, half_length: half_length * factor }
            }
            Shape::Capsule { radius, half_length } => {
                Shape::Capsule { radius: radius * factor, half_length: half_length * factor }
            }
            Shape::Bore { radius, corner } => Shape::Bore { radius: radius * factor, corner: *corner },
        }
    }
}

/// Way to a point of the shape frame from the nearest point of a line of this half length along z (m), as a
/// capsule has it.
pub fn off_line(x: &Vector3<f64>, half_length: f64) -> Vector3<f64> {
    x - Vector3::z() * x.z.clamp(-half_length, half_length)
}

/// A shared polytope is written as if it were not shared.
mod shared {
    use super::{Arc, Polytope};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(polytope: &Arc<Polytope>, to: S) -> Result<S::Ok, S::Error> {
        polytope.as_ref().serialize(to)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Arc<Polytope>, D::Error> {
        Polytope::deserialize(from).map(Arc::new)
    }
}
