//! Features of two bodies that touch along the separating axis: one body clipped against the plane of the
//! other.

pub mod convex_polygon;
pub mod curved;
pub mod extreme_points;
pub mod follow;
pub mod polytope;
pub mod rim;
