//! From a shape back to its entry.

use super::raw_shapes::ShapeEntry;
use crate::geometry::Shape;

/// The entry that resolves to a shape.
pub fn shape_of(shape: &Shape) -> ShapeEntry {
    match shape {
        Shape::Ellipsoid { semi_axes } => ShapeEntry::Ellipsoid { semi_axes: (*semi_axes).into() },
        Shape::HalfSpace { normal, offset } => {
            ShapeEntry::HalfSpace { normal: (*normal).into(), offset: *offset }
        }
        Shape::Polytope(polytope) => match polytope.half_extents() {
            Some(half_extents) => ShapeEntry::Box { half_extents: half_extents.into() },
            None => {
                ShapeEntry::Polytope { vertices: polytope.vertices.iter().map(|v| (*v).into()).collect() }
            }
        },
        Shape::Cylinder { radius, half_length } => {
            ShapeEntry::Cylinder { radius: *radius, length: 2.0 * half_length }
        }
    }
}
