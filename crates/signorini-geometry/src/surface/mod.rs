//! Surfaces of triangles as solids of a thickness: one convex cell behind each triangle.
//!
//! The cell of a triangle is the prism between it and three points behind its corners. Cells that share a
//! side share the points behind its ends, so that they fit: they are mitred along it, whether the surface is
//! convex or concave there. What the cells share is no face of the surface (theory §3.12). Where sides of
//! triangles run is known from their corners, so that nothing has to be cut to find that.

mod cells;
mod exposed;
mod topology;
mod triangles;

pub use cells::Cells;
pub use triangles::{Repairs, Surface, SurfaceFault};

#[cfg(test)]
mod tests;
