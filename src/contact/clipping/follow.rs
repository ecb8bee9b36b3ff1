//! Contact points at which outlines of two bodies cross, moved with the bodies from pose to pose.

use crate::contact::clipping::rim::IncidentBody;
use crate::contact::feature::{Feature, edge_ends, in_shape, plane_of};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{OUTLINE_MARGIN, PARALLEL_SINE};

/// Moves the place where a feature crosses the outline of a plane with the bodies, while it does, whatever
/// the separating axis is: at its first place it would leave the outline as the bodies move, and count as
/// unsupported.
pub fn follow_crossing(feature: &mut FeaturePair, a: &Placed<'_>, b: &Placed<'_>) {
    match feature.crossing_edges() {
        Some(edges) => follow_edges(feature, edges, a, b),
        None if !feature.is_polyhedral() => follow_outline(feature, a, b),
        None => {}
    }
}

/// Follows a body over a plane with a curved outline, or a curved body over any plane.
fn follow_outline(feature: &mut FeaturePair, a: &Placed<'_>, b: &Placed<'_>) {
    let offset = a.way_to(b);
    let near = OUTLINE_MARGIN * a.model.smaller_size(b.model);
    let FeaturePair(of_a, of_b) = *feature;
    for (x, y, feature, place, offset) in
        [(a, b, of_a, &mut feature.1, offset), (b, a, of_b, &mut feature.0, -offset)]
    {
        let Some((n, at)) = plane_of(feature, x) else { continue };
        let over = IncidentBody { x, y, feature, n, at, offset, limit: f64::INFINITY, near };
        if let Some(moved) = over.moved(place) {
            *place = moved;
        }
    }
}

/// Follows two polytopes, whose edges cross seen along the normal of the face.
fn follow_edges(feature: &mut FeaturePair, edges: (usize, usize), a: &Placed<'_>, b: &Placed<'_>) {
    let (of_a, of_b) = (plane_of(feature.0, a), plane_of(feature.1, b));
    let Some((normal, _)) = of_a.or(of_b) else { return };
    let (Some(ends_a), Some(ends_b)) = (edge_ends(a, edges.0), edge_ends(b, edges.1)) else { return };
    let offset = a.way_to(b);
    let (u, w) = (ends_a[1] - ends_a[0], ends_b[1] - ends_b[0]);
    let apart = offset + ends_b[0] - ends_a[0];
    let area = normal.dot(&u.cross(&w));
    if area.abs() <= PARALLEL_SINE * u.norm() * w.norm() {
        return;
    }
    let (along_a, along_b) = (normal.dot(&apart.cross(&w)) / area, normal.dot(&apart.cross(&u)) / area);
    if !(0.0..=1.0).contains(&along_a) || !(0.0..=1.0).contains(&along_b) {
        return;
    }
    match feature {
        FeaturePair(_, Feature::EdgePoint(point, _)) => *point = in_shape(b, &(ends_b[0] + w * along_b)),
        FeaturePair(Feature::EdgePoint(point, _), _) => *point = in_shape(a, &(ends_a[0] + u * along_a)),
        _ => {}
    }
}
