//! Surfaces of triangles as solids of a thickness: one convex cell behind each triangle.
//!
//! The cell of a triangle is the prism between it and three points behind its corners. Cells with a common
//! side have common points behind its ends, so that they fit: they are mitred along it, whether the surface
//! is convex or concave there. A face between two cells is no face of the surface (theory §3.12). Sides of
//! triangles are known from their corners, so that nothing has to be cut to find them.

mod cells;
mod exposed;
mod pieces;
mod prism;
mod sides;
mod topology;
mod triangles;

pub use cells::Cells;
pub use triangles::{Repairs, Surface, SurfaceFault};

#[cfg(test)]
mod tests;
