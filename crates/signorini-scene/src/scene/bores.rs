//! Bores as parts: one for each point of the bodies inside that may touch the wall, as a concave wall may be
//! touched at several points, along several normals.

use super::body::{Body, Part};
use super::inlet::Inlet;
use signorini_geometry::Shape;
use signorini_geometry::bore::corners_in_bore;

/// Gives bodies with bores as many parts as the bodies, and those that will come in, have points that may
/// touch them.
pub fn divide(bodies: &mut [Body], inlets: &[Inlet]) {
    if !bodies.iter().any(Body::is_bore) {
        return;
    }
    let there = bodies.iter().flat_map(|body| &body.parts).map(|part| &part.shape);
    let coming = inlets.iter().flat_map(|inlet| &inlet.grains.shapes).flat_map(|(form, _)| form.parts());
    let corners = there.chain(coming.map(|(shape, _)| shape)).map(corners_in_bore);
    let most = corners.max().unwrap_or(0).max(1);
    for body in bodies.iter_mut().filter(|body| body.is_bore()) {
        let first = body.parts[0].clone();
        let Shape::Bore { radius, .. } = first.shape else { continue };
        // Parts that are there stay: contacts are known by their places.
        for corner in body.parts.len()..most {
            body.parts.push(Part { shape: Shape::Bore { radius, corner }, ..first.clone() });
        }
    }
}
