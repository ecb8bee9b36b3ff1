//! From a shape back to its entry.

use super::raw_shapes::ShapeEntry;
use nalgebra::UnitQuaternion;
use signorini_geometry::{Shape, Surface};

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
        Shape::Bore { radius, .. } => ShapeEntry::Bore { radius: *radius },
        Shape::Cylinder { radius, half_length } => {
            ShapeEntry::Cylinder { radius: *radius, length: 2.0 * half_length }
        }
        Shape::Capsule { radius, half_length } => {
            ShapeEntry::Capsule { radius: *radius, length: 2.0 * half_length }
        }
    }
}

/// The entry that resolves to a surface.
pub fn surface_of_triangles(surface: &Surface) -> ShapeEntry {
    ShapeEntry::Surface {
        thickness: surface.thickness,
        file: None,
        scale: 1.0,
        vertices: surface.points.iter().map(|p| (*p).into()).collect(),
        triangles: surface.triangles.iter().map(|t| t.map(|v| v as u32)).collect(),
    }
}

/// A rotation as a file has it: w, x, y, z.
pub fn quaternion_of(q: &UnitQuaternion<f64>) -> [f64; 4] {
    [q.w, q.i, q.j, q.k]
}
