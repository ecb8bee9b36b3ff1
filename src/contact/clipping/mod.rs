//! What of two bodies touches along the separating axis: one body clipped against the plane of the other.

pub mod curved;
pub mod follow;
pub mod polytope;
pub mod rim;
