//! Gap of a bounded shape to the concave wall of a bore, from the shape's support points.

use crate::referee::placed::{PlacedBore, PlacedShape};
use nalgebra::Vector3;
use signorini_geometry::bore::farthest;

/// Signed gap (m) of a bounded shape to the wall, with the normal out of the wall. From a normal: of the
/// point of the shape that the bore's part is for, where no other around it is farther from the axis. Without
/// one: of the farthest point of the whole shape.
pub fn signed_gap(
    bore: &PlacedBore,
    body: &PlacedShape,
    start: Option<&Vector3<f64>>,
) -> (f64, Vector3<f64>) {
    let way = body.center().unwrap_or_default() - bore.center;
    let (m, far) = match start {
        Some(n) => farthest(&bore.axis, Some(&-n), |m| way + corner(bore, body, m)),
        None => farthest(&bore.axis, None, |m| way + body.arm(m)),
    };
    (bore.radius - far, -m)
}

/// Gap (m) of that point of the shape along a normal out of the wall.
pub fn gap_along(bore: &PlacedBore, body: &PlacedShape, n: &Vector3<f64>) -> f64 {
    let way = body.center().unwrap_or_default() - bore.center;
    bore.radius + n.dot(&(way + corner(bore, body, &-n)))
}

/// Point that is farthest along m of the feature that a part of a bore is for, about the shape's centre: a
/// rim of a cylinder, an end of a capsule, a corner of a polytope, all of an ellipsoid.
fn corner(bore: &PlacedBore, body: &PlacedShape, m: &Vector3<f64>) -> Vector3<f64> {
    match body {
        PlacedShape::Polytope(p) => p.arms.get(bore.corner).copied().unwrap_or_else(|| body.arm(m)),
        PlacedShape::Cylinder(c) => {
            let out = m - c.axis * m.dot(&c.axis);
            let end = if bore.corner < 2 { c.half_length } else { -c.half_length };
            out.try_normalize(f64::MIN_POSITIVE).unwrap_or_default() * c.radius + c.axis * end
        }
        PlacedShape::Capsule(c) => {
            let end = if bore.corner == 0 { c.half_length } else { -c.half_length };
            m * c.radius + c.axis * end
        }
        _ => body.arm(m),
    }
}
