//! Check of the touch: kind, number of points and active facets must agree with each other, and with the
//! shapes.

use crate::referee::part_in_step::PartInStep;
use crate::referee::placed::PlacedShape;
use crate::step::ContactRecord;
use signorini_scene::scene::ContactKind;

/// Fault of the recorded touch of a contact. A model without manifolds records 1 point.
pub fn touch_fault(contact: &ContactRecord, parts: [&PartInStep; 2], has_manifold: bool) -> Option<String> {
    let touch = &contact.touch;
    let kind = touch.kind;
    let fewest = match kind {
        _ if !has_manifold => 1,
        ContactKind::Point => 1,
        ContactKind::Line => 2,
        ContactKind::Surface => 3,
    };
    if touch.points < fewest || !has_manifold && touch.points > 1 {
        return Some(format!("kind = {}, points = {}", kind.as_str(), touch.points));
    }
    if parts.iter().any(|b| matches!(b.placed, PlacedShape::Ellipsoid(_))) && touch.points > 1 {
        return Some(format!("points = {}, one body is round", touch.points));
    }
    for ((part, facets), name) in parts.into_iter().zip(touch.active_facets).zip(["a", "b"]) {
        if facets > most_facets(&part.placed) {
            return Some(format!("active_facets_{name} = {facets}, more than the body has"));
        }
        if kind > widest(&part.placed, facets) {
            return Some(format!("kind = {}, active_facets_{name} = {facets}", kind.as_str()));
        }
    }
    let [a, b] = [0, 1].map(|k| narrowest(&parts[k].placed, touch.active_facets[k]));
    // An edge that is apart from a face may extend over its rim, so that one point is left.
    let hangs_over = contact.normal_impulse <= 0.0 && a.min(b) == ContactKind::Line;
    // Two edges may cross. On a face, the feature of the other body lies with all of its points. Two faces
    // may touch where edges of both run beside each other, and then have no more points than those edges.
    let narrowest = match touch.points {
        1 => ContactKind::Point,
        2 => ContactKind::Line,
        _ => ContactKind::Surface,
    };
    if !hangs_over && a.max(b) == ContactKind::Surface && kind < a.min(b).min(narrowest) {
        let [of_a, of_b] = touch.active_facets;
        return Some(format!("kind = {}, active_facets_a = {of_a}, active_facets_b = {of_b}", kind.as_str()));
    }
    None
}

/// Kind of feature on so many facets at once; of a cylinder, whose facet may be side or cap, the least kind.
fn narrowest(placed: &PlacedShape, facets: usize) -> ContactKind {
    match (placed, facets) {
        (PlacedShape::HalfSpace { .. }, _) | (PlacedShape::Polytope(_), 1) => ContactKind::Surface,
        (PlacedShape::Polytope(_), 2) | (PlacedShape::Cylinder(_), 1) => ContactKind::Line,
        _ => ContactKind::Point,
    }
}

fn most_facets(placed: &PlacedShape) -> usize {
    match placed {
        PlacedShape::Ellipsoid(_)
        | PlacedShape::Capsule(_)
        | PlacedShape::HalfSpace { .. }
        | PlacedShape::Bore(_) => 1,
        PlacedShape::Cylinder(_) => 2,
        PlacedShape::Polytope(p) => p.normals.len(),
    }
}

/// Widest kind of contact on so many facets at once: faces meet in edges, edges in corners.
fn widest(placed: &PlacedShape, facets: usize) -> ContactKind {
    match (placed, facets) {
        (PlacedShape::Ellipsoid(_) | PlacedShape::Bore(_), _) => ContactKind::Point,
        (PlacedShape::Capsule(_), _) => ContactKind::Line,
        (PlacedShape::HalfSpace { .. }, _) | (_, 0 | 1) => ContactKind::Surface,
        (_, 2) => ContactKind::Line,
        _ => ContactKind::Point,
    }
}
