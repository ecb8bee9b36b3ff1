//! Contact points of a cylinder with a half-space, a polytope or another cylinder along the separating axis
//! (theory §3.5 and §3.9).
//!
//! Along the normal of a plane (half-space, face, cap) the other body is clipped against the outline of the
//! plane: a generator gives the lowest points at its ends, a cap that is nearly parallel points of its rim.
//! Along any other axis two curved features make one contact point, joined by the ends of lines that run
//! nearly parallel.

use crate::contact::axis::curved_axis::{FeatureAxis, PlacedPair, Shortlist};
use crate::contact::clipping::rim::{IncidentBody, on_rim};
use crate::contact::exposed_axis::FaceAxis;
use crate::contact::facing::Facing;
use crate::contact::feature::{
    Cylinder, Feature, RIM_POINTS, RIM_STEPS, arm, off_face, outside, plane_of, polytope, rim_point,
};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{
    FACE_PREFERENCE, LANDING_TILT, OUTLINE_MARGIN, POINT_MISMATCH, SAME_FACE_COSINE, TWO_ENDED_LINE_SINE,
    UPRIGHT_SINE,
};
use nalgebra::Vector3;

/// Contact points on a rim stand at every so many of its places.
const PLACES: u32 = 8;

/// Finds the separation of a pair with a cylinder; the features that touch go to `out`.
pub fn touching_curved(
    query: &FeatureQuery<'_>,
    shortlist: &mut Shortlist,
    out: &mut Vec<FeaturePair>,
) -> Facing {
    let FeatureQuery { a, b, margin, start, side, .. } = *query;
    let size = a.model.smaller_size(b.model);
    let bodies = PlacedPair { a, b, offset: a.way_to(b), size, side };
    let plane = bodies.plane_axis(&start);
    let mut builder = ManifoldBuilder { bodies: &bodies, out };
    builder.over(&plane, margin);
    // Along the widest separation the bodies support each other at one point. Where all points over the plane
    // are higher than its gap, the plane is not the axis.
    let is_supported = a.moved.plane.is_some() || builder.lowest_gap() <= plane.gap + FACE_PREFERENCE * size;
    let mut curved = None;
    if !is_supported || !bodies.is_widest(&plane) && a.moved.plane.is_none() {
        curved = bodies.curved_axis(&start, &plane, shortlist);
    }
    if curved.is_none() && !is_supported {
        // Features that were not listed give the axis.
        shortlist.widen();
        curved = bodies.curved_axis(&start, &plane, shortlist);
    }
    if curved.is_some() {
        builder.out.clear();
    }
    if let Some(axis) = &curved {
        builder.curved(axis.features, axis, margin);
    }
    let n_curved = builder.out.len();
    // A line that leans over a plane touches at one end, where it crosses the outline; the other end is kept
    // ready.
    let leans = |axis: &FeatureAxis| {
        plane.gap > axis.gap - margin && plane.normal.dot(&axis.normal) > SAME_FACE_COSINE
    };
    let n_touching = match &curved {
        Some(axis) if n_curved == 0 || leans(axis) => {
            builder.over(&plane, margin);
            if n_curved == 0 { builder.out.len() } else { n_curved }
        }
        _ => n_curved,
    };
    if builder.out.is_empty() {
        builder.lowest(&plane);
    }
    let axis = curved.unwrap_or(plane);
    Facing { normal: axis.normal, gap: axis.gap, n_touching }
}

/// Finds the separation and the features along the normal of a given face or cap.
pub fn touching_over(query: &FeatureQuery<'_>, axis: &FaceAxis, out: &mut Vec<FeaturePair>) -> Facing {
    let FeatureQuery { a, b, margin, .. } = *query;
    let size = a.model.smaller_size(b.model);
    let bodies = PlacedPair { a, b, offset: b.moved.position - a.moved.position, size, side: None };
    let features = FeaturePair::of(axis.feature, Feature::Side, axis.is_of_b);
    let plane = FeatureAxis { gap: axis.gap, normal: axis.normal, features };
    let mut builder = ManifoldBuilder { bodies: &bodies, out };
    builder.over(&plane, margin);
    let n_touching = builder.out.len();
    if n_touching == 0 {
        builder.lowest(&plane);
    }
    Facing { normal: axis.normal, gap: axis.gap, n_touching }
}

struct ManifoldBuilder<'a, 'b, 'c> {
    bodies: &'a PlacedPair<'b, 'c>,
    out: &'a mut Vec<FeaturePair>,
}

impl<'b, 'c> ManifoldBuilder<'_, 'b, 'c> {
    /// Adds a contact point of a feature of the body that carries the plane and one of the other.
    fn push(&mut self, own: Feature, other: Feature, swapped: bool) {
        self.out.push(FeaturePair::of(own, other, swapped));
    }

    /// Adds the contact points over the plane of an axis, up to `margin` above its gap.
    fn over(&mut self, plane: &FeatureAxis, margin: f64) {
        let Some((over, swapped)) = self.over_plane(plane, margin) else { return };
        match Cylinder::of(over.y) {
            Some(cylinder) if over.stands(&cylinder) => self.standing(&over, &cylinder, swapped),
            Some(cylinder) => self.generator(&over, &cylinder, swapped),
            None => self.polytope_over_cap(&over, swapped),
        }
    }

    /// Least gap of the contact points found over a plane (m); infinite if none are found.
    fn lowest_gap(&self) -> f64 {
        let PlacedPair { a, b, .. } = *self.bodies;
        let gaps = self.out.iter().filter_map(|feature| feature.solve(a, b, &Vector3::z()));
        gaps.map(|solved| solved.point.gap).fold(f64::INFINITY, f64::min)
    }

    /// Adds the lowest corner or rim over the plane of an axis, which lies beside the plane: it may yet come
    /// over it.
    fn lowest(&mut self, plane: &FeatureAxis) {
        let Some((over, swapped)) = self.over_plane(plane, 0.0) else { return };
        match (Cylinder::of(over.y), polytope(over.y)) {
            (Some(cylinder), _) => {
                let lower = cylinder.end_feature(over.n.dot(&cylinder.axis) < 0.0);
                self.push(over.feature, lower, swapped);
            }
            (None, Some(p)) => self.push(over.feature, Feature::Vertex(p.support(&over.down())), swapped),
            _ => {}
        }
    }

    /// The body over the plane of an axis, no higher than `margin` above its gap (m), and whether the plane
    /// is B's.
    fn over_plane(&self, plane: &FeatureAxis, margin: f64) -> Option<(IncidentBody<'b, 'c>, bool)> {
        let PlacedPair { a, b, offset, size, .. } = *self.bodies;
        let (limit, near) = (plane.gap + margin, OUTLINE_MARGIN * size);
        let (x, y, feature, offset, swapped) = match plane.features {
            FeaturePair(feature, _) if feature.is_flat() => (a, b, feature, offset, false),
            // The offset gives arms of Y as seen from X.
            FeaturePair(_, feature) => (b, a, feature, -offset, true),
        };
        let (n, at) = plane_of(feature, x)?;
        Some((IncidentBody { x, y, feature, n, at, offset, limit, near }, swapped))
    }

    /// Adds the lowest points at the ends of a tilted or lying cylinder, or where its lowest line leaves the
    /// outline.
    fn generator(&mut self, over: &IncidentBody<'_, '_>, cylinder: &Cylinder, swapped: bool) {
        let Some(ends) = over.lowest_line(cylinder) else { return };
        for (_, feature, point) in ends {
            if over.height(&point) <= over.limit {
                self.push(over.feature, feature, swapped);
            }
        }
    }

    /// Adds points of the rim of a cylinder that stands on the plane, and features of the plane under its
    /// cap.
    fn standing(&mut self, over: &IncidentBody<'_, '_>, cylinder: &Cylinder, swapped: bool) {
        let up = over.n.dot(&cylinder.axis) < 0.0;
        for step in regular_points() {
            let point = over.offset + arm(over.y, &rim_point(cylinder, up, step));
            if over.is_inside(&point) && over.height(&point) <= over.limit {
                self.push(over.feature, Feature::RimPoint(up, step), swapped);
            }
        }
        if over.tilt(cylinder) > UPRIGHT_SINE {
            let across = over.n - cylinder.axis * cylinder.axis.dot(&over.n);
            let lowest = over.offset + cylinder.at(cylinder.end(up)) - across.normalize() * cylinder.radius;
            if over.is_inside(&lowest) {
                self.push(over.feature, Feature::Rim(up), swapped);
                // A cylinder that lands flat may carry load where the lowest point was, outside the polygon
                // of the others.
                if over.tilt(cylinder) < LANDING_TILT {
                    let step = nearest_step(over.y, cylinder, &(lowest - over.offset));
                    let step = (step + PLACES / 2) / PLACES * PLACES % RIM_STEPS;
                    self.push(over.feature, Feature::RimPoint(up, step), swapped);
                }
            }
        }
        self.under_cap(over, cylinder, up, swapped);
    }

    /// Adds corners of the outline under the cap of a standing cylinder, and points where the outline crosses
    /// its rim.
    fn under_cap(&mut self, over: &IncidentBody<'_, '_>, cylinder: &Cylinder, up: bool, swapped: bool) {
        let inside =
            |p: &Vector3<f64>| cylinder.coordinates(&(p - over.offset)).1 <= cylinder.radius + over.near;
        let cap = Feature::Cap(up);
        match over.feature {
            Feature::Face(face) => {
                let Some(p) = polytope(over.x) else { return };
                let face = &p.faces[face];
                for (k, &v) in face.vertices.iter().enumerate() {
                    let from = arm(over.x, &p.vertices[v]);
                    if inside(&from) {
                        self.push(Feature::Vertex(v), cap, swapped);
                    }
                    for (name, point) in over.rim_over_edge(cylinder, up, face.edges[k]).into_iter().flatten()
                    {
                        self.push(over.feature, on_rim(over.y, cylinder, up, &point, name), swapped);
                    }
                }
            }
            Feature::Cap(own) => {
                let Some(lower) = Cylinder::of(over.x) else { return };
                for step in regular_points() {
                    if inside(&arm(over.x, &rim_point(&lower, own, step))) {
                        self.push(Feature::RimPoint(own, step), cap, swapped);
                    }
                }
                for (name, point) in over.rim_over_rim(&lower, cylinder, up).into_iter().flatten() {
                    self.push(over.feature, on_rim(over.y, cylinder, up, &point, name), swapped);
                }
            }
            _ => {}
        }
    }

    /// Adds the contact points of a polytope over a cap: corners of its lowest face inside the circle, points
    /// where its edges cross the circle, and points of the rim under the face.
    fn polytope_over_cap(&mut self, over: &IncidentBody<'_, '_>, swapped: bool) {
        let (Some(p), Some(cylinder), Feature::Cap(up)) =
            (polytope(over.y), Cylinder::of(over.x), over.feature)
        else {
            return;
        };
        let down = over.down();
        let corner = p.support(&down);
        let turned = |f: usize| over.n.dot(&(over.y.moved.shape_rotation * p.faces[f].normal));
        let Some(face) = p.face_at(corner, &down) else { return };
        let lowest = &p.faces[face];
        for (k, &v) in lowest.vertices.iter().enumerate() {
            let from = over.offset + arm(over.y, &p.vertices[v]);
            if over.is_inside(&from) && over.height(&from) <= over.limit {
                self.push(over.feature, Feature::Vertex(v), swapped);
            }
            for (name, point) in over.edge_over_rim(&cylinder, lowest.edges[k]).into_iter().flatten() {
                if over.height(&(over.offset + arm(over.y, &point))) <= over.limit {
                    self.push(over.feature, Feature::Point(point, name), swapped);
                }
            }
        }
        if -turned(face) < SAME_FACE_COSINE {
            return;
        }
        let to_shape = over.y.moved.shape_rotation.transpose();
        for step in regular_points() {
            let point = arm(over.x, &rim_point(&cylinder, up, step)) - over.offset;
            let local = to_shape * (point - over.y.moved.shape_origin);
            let above = lowest.offset - lowest.normal.dot(&local);
            let is_under = off_face(p, face, &local).is_none_or(|side| side.1 <= over.near);
            if is_under && -above <= over.limit {
                self.push(Feature::RimPoint(up, step), Feature::Face(face), swapped);
            }
        }
    }

    /// Adds the contact point of two curved features, and the ends of lines that run nearly parallel.
    fn curved(&mut self, features: FeaturePair, axis: &FeatureAxis, margin: f64) {
        let PlacedPair { a, b, .. } = *self.bodies;
        self.push_if_near(features, axis, f64::INFINITY);
        for swapped in [false, true] {
            let (x, y) = if swapped { (b, a) } else { (a, b) };
            let Some(cylinder) = Cylinder::of(x) else { continue };
            if axis.normal.dot(&cylinder.axis).abs() > TWO_ENDED_LINE_SINE {
                continue;
            }
            let limit = axis.gap + margin;
            let mut ends = |own: Feature, other: Feature| {
                let features = FeaturePair::of(own, other, swapped);
                self.push_if_near(features, axis, limit);
            };
            let is_along = |other: &Cylinder| other.axis.cross(&cylinder.axis).norm() < TWO_ENDED_LINE_SINE;
            if let Some(other) = Cylinder::of(y).filter(is_along) {
                ends(Feature::Side, other.end_feature(true));
                ends(Feature::Side, other.end_feature(false));
            }
            let Some(p) = polytope(y) else { continue };
            for (e, edge) in p.edges.iter().enumerate() {
                let [first, second] = edge.vertices.map(|v| arm(y, &p.vertices[v]));
                if (second - first).normalize().cross(&cylinder.axis).norm() < TWO_ENDED_LINE_SINE {
                    edge.vertices.iter().for_each(|v| ends(Feature::Side, Feature::Vertex(*v)));
                    ends(cylinder.end_feature(true), Feature::Edge(e));
                    ends(cylinder.end_feature(false), Feature::Edge(e));
                }
            }
        }
    }

    /// Adds a contact point of curved features if its points lie on them and it is no higher than `limit`.
    fn push_if_near(&mut self, features: FeaturePair, axis: &FeatureAxis, limit: f64) {
        let PlacedPair { a, b, size, .. } = *self.bodies;
        let Some(found) = features.solve(a, b, &axis.normal) else { return };
        let point = &found.point;
        let is_on = limit == f64::INFINITY
            || outside(features.0, a, &point.arm_a).max(outside(features.1, b, &point.arm_b))
                <= OUTLINE_MARGIN * size;
        let is_regular =
            found.mismatch <= POINT_MISMATCH * size && point.normal.iter().all(|x| x.is_finite());
        let is_facing = point.normal.dot(&axis.normal) > SAME_FACE_COSINE && point.gap <= limit;
        if is_on && is_regular && is_facing && !self.out.contains(&features) {
            self.out.push(features);
        }
    }
}

/// Places of the points that always hold a standing cylinder.
fn regular_points() -> impl Iterator<Item = u32> {
    (0..RIM_POINTS).map(|k| k * (RIM_STEPS / RIM_POINTS))
}

/// Place on a rim nearest to a point; `point` is an arm of the cylinder.
fn nearest_step(body: &Placed<'_>, cylinder: &Cylinder, point: &Vector3<f64>) -> u32 {
    let local = body.moved.shape_rotation.tr_mul(&(point - cylinder.center));
    let turns = local.y.atan2(local.x) / std::f64::consts::TAU;
    (turns.rem_euclid(1.0) * f64::from(RIM_STEPS)).round() as u32 % RIM_STEPS
}
