//! Closest points of smooth pairs in flat arrays where a body is more than one ellipsoid about its centre of
//! mass, and contact points of pairs with a cylinder: the contact geometry of the other paths finds them.

use crate::contact::feature::Feature;
use crate::contact::feature_pair::FeaturePair;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::manifold::{ContactManifold, lean_at, rim_of, ring_of};
use crate::contact::pair::smooth::SmoothPoint;
use crate::contact::point::off_feature;
use crate::contact::{ContactPoint, FeatureSearch, MovedPart, Pair, Placed};
use crate::stepper::parameters::{FLAT_NAMED_EDGES, FLAT_NAMED_FEATURES};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_flat::bodies::Pose;
use signorini_flat::parameters::MOST_POINTS;
use signorini_flat::patch::axis::Axis;
use signorini_flat::{Closest, Contact, Known, Manifold, Name, Patch, Point, Side, Start, Surfaces};

/// Kinds of features, those with an index at an index.
fn kinds(index: usize) -> [Feature; 17] {
    use Feature::{
        Ball, Cap, Edge, EdgePoint, Ellipsoid, Face, Plane, Point, Rim, RimPoint, Ring, Side, Vertex,
    };
    let (nowhere, step) = (Vector3::zeros(), index as u32);
    [
        Ellipsoid,
        Plane,
        Side,
        Cap(true),
        Cap(false),
        Rim(true),
        Rim(false),
        Ball(true),
        Ball(false),
        Vertex(index),
        Edge(index),
        Face(index),
        Ring(0.0, index),
        RimPoint(true, step),
        RimPoint(false, step),
        Point(nowhere, index),
        EdgePoint(nowhere, (index / FLAT_NAMED_EDGES, index % FLAT_NAMED_EDGES)),
    ]
}

/// Code of a feature, without the place of a point.
pub(super) fn code_of(feature: Feature) -> u64 {
    let index = match feature {
        Feature::Vertex(index) | Feature::Edge(index) | Feature::Face(index) => index,
        Feature::Ring(_, name) | Feature::Point(_, name) => name,
        Feature::RimPoint(_, step) => step as usize,
        Feature::EdgePoint(_, (first, second)) => first * FLAT_NAMED_EDGES + second,
        _ => 0,
    };
    let kinds = kinds(index);
    let kind = kinds.iter().position(|kind| kind.is_same(&feature)).unwrap_or(0);
    (index * kinds.len() + kind) as u64
}

/// Feature of a code.
pub(super) fn feature_of(code: u64) -> Feature {
    // Most pairs are of two round bodies.
    if code == 0 {
        return Feature::Ellipsoid;
    }
    let n = kinds(0).len();
    kinds(code as usize / n)[code as usize % n]
}

/// Features of a name, if one is a point of a rim or a ring that is held in its place.
fn held_of(name: Name, parts: [&Placed<'_>; 2]) -> Option<FeaturePair> {
    let Name::Callers(code) = name else { return None };
    // Of other features than these the name does not tell the place.
    let feature = |part: &Placed<'_>, code: u64| match feature_of(code) {
        Feature::Ring(_, name) => ring_of(part, name),
        feature => {
            (feature.is_flat() || matches!(feature, Feature::Side | Feature::RimPoint(..))).then_some(feature)
        }
    };
    let of_a = feature(parts[0], code / FLAT_NAMED_FEATURES);
    let of_b = feature(parts[1], code % FLAT_NAMED_FEATURES);
    let pair = FeaturePair(of_a?, of_b?);
    let is_held = |feature: Feature| matches!(feature, Feature::RimPoint(..) | Feature::Ring(..));
    (is_held(pair.0) || is_held(pair.1)).then_some(pair)
}

/// Name of a contact point by its features. A crossing of edges is one whichever face it is on.
fn name_of(pair: FeaturePair) -> Name {
    let FeaturePair(of_a, of_b) = pair;
    let of_a = if pair.crossing_edges().is_some() { Feature::Ellipsoid } else { of_a };
    let of_b = match pair.crossing_edges() {
        Some(edges) => Feature::EdgePoint(Vector3::zeros(), edges),
        None => of_b,
    };
    let [of_a, of_b] = [of_a, of_b].map(|feature| code_of(feature) % FLAT_NAMED_FEATURES);
    Name::Callers(of_a * FLAT_NAMED_FEATURES + of_b)
}

/// The pairs of an island with the parts that they are between.
pub(super) struct PairsOfParts<'a> {
    pub context: &'a StepContext<'a>,
    pub pairs: &'a [Box<Pair>],
    pub contacts: &'a [Contact],
    pub patches: &'a [Patch],
    /// Pair of each contact.
    pub pair_of: &'a [u32],
    /// Pair of each of those with several points.
    pub pair_of_patch: &'a [u32],
    /// Principal axes of each local body, in axes of the body.
    pub axes: &'a [Matrix3<f64>],
}

impl PairsOfParts<'_> {
    /// The part of a side of a contact: of a moving body at a pose of its principal axes, of others at the
    /// end of the step.
    fn moved(&self, side: Side, part: usize, (centre, rotation): &Pose) -> MovedPart {
        match side {
            Side::Given(_) => self.context.prescribed[part],
            Side::Moving(local) => {
                let rotation = Matrix3::from_row_slice(rotation) * self.axes[local as usize].transpose();
                MovedPart::of_bounded(&self.context.models.parts[part], Vector3::from(*centre), rotation)
            }
        }
    }

    /// The parts of a pair with several points, at poses.
    fn placed(&self, patch: usize, [pose_a, pose_b]: [&Pose; 2]) -> ([usize; 2], [MovedPart; 2]) {
        let pair = &self.pairs[self.pair_of_patch[patch] as usize];
        let ([a, b], sides) = (self.context.models.parts_of(pair), self.patches[patch].sides);
        ([a, b], [self.moved(sides[0], a, pose_a), self.moved(sides[1], b, pose_b)])
    }
}

impl Surfaces for PairsOfParts<'_> {
    fn closest(&self, contact: usize, [pose_a, pose_b]: [&Pose; 2], from: Start) -> Closest {
        let models = self.context.models;
        let pair = &self.pairs[self.pair_of[contact] as usize];
        let ([a, b], sides) = (models.parts_of(pair), self.contacts[contact].sides);
        let moved = [self.moved(sides[0], a, pose_a), self.moved(sides[1], b, pose_b)];
        let [of_a, of_b] = [&models.parts[a], &models.parts[b]];
        let a = Placed::new(of_a, &moved[0]);
        let b = models.image(Placed::new(of_b, &moved[1]), pair.image);
        let start = (feature_of(from.feature), &Vector3::from(from.normal));
        let SmoothPoint { feature, normal, arms, gap, is_hidden, .. } =
            pair.smooth_point([&a, &b], of_a.smaller_size(of_b), start);
        let at = Start { normal: normal.into(), feature: code_of(feature) };
        let [on_a, on_b] =
            [0, 1].map(|side: usize| moved[side].surface.unwrap_or_default().about(&arms[side]));
        let surface = [(on_b.linear - on_a.linear).into(), (on_b.angular - on_a.angular).into()];
        Closest { at, gap, arms: arms.map(Into::into), is_open: is_hidden, surface }
    }

    fn points(&self, patch: usize, poses: [&Pose; 2], known: Known<'_>, margin: f64) -> Manifold {
        let models = self.context.models;
        let pair = &self.pairs[self.pair_of_patch[patch] as usize];
        let ([a, b], moved) = self.placed(patch, poses);
        let a = Placed::new(&models.parts[a], &moved[0]);
        let b = models.image(Placed::new(&models.parts[b], &moved[1]), pair.image);
        let start = match known.normal == [0.0; 3] {
            true => pair.geometry.normal,
            false => Vector3::from(known.normal).normalize(),
        };
        let query = FeatureQuery { margin, ..FeatureQuery::new(&a, &b, start) };
        let mut manifold = ContactManifold::default();
        let loaded = known.loaded.iter().filter_map(|name| held_of(*name, [&a, &b]));
        let facing = manifold.find(&query, (loaded, known.lean), &mut FeatureSearch::default());
        // Forces act on the surface of B.
        let origin = b.moved.position + b.shift.unwrap_or_default();
        let point = |point: &ContactPoint| {
            let g = &point.geometry;
            let (at, normal) = ((origin + g.arm_b).into(), g.normal.into());
            let rim = rim_of(point, [&a, &b]).map(|(rim, way)| (rim, way.cast().into()));
            let beside = off_feature(point, &a, &b).max(0.0) as f32;
            Point { name: name_of(point.feature), at, gap: g.gap, normal, rim, beside }
        };
        let mut points: Vec<Point> = manifold.points.iter().filter(|p| p.exerts()).map(point).collect();
        let is_new = |p: &Point| !known.loaded.contains(&p.name);
        points.sort_by(|p, q| is_new(p).cmp(&is_new(q)).then(p.gap.total_cmp(&q.gap)));
        points.truncate(MOST_POINTS);
        let mut found = Manifold {
            axis: Axis::Callers,
            normal: facing.normal.into(),
            separation: facing.gap,
            widest: facing.gap,
            n: points.len(),
            ..Manifold::default()
        };
        found.points[..points.len()].copy_from_slice(&points);
        found
    }

    fn lean(&self, patch: usize, poses: [&Pose; 2], (at, n): (&[f64; 3], &[f64; 3]), leeway: f64) -> f64 {
        let ([a, b], moved) = self.placed(patch, poses);
        let models = self.context.models;
        let pair = &self.pairs[self.pair_of_patch[patch] as usize];
        let a = Placed::new(&models.parts[a], &moved[0]);
        let b = models.image(Placed::new(&models.parts[b], &moved[1]), pair.image);
        let (at, n) = (Vector3::from(*at), Vector3::from(*n));
        let lean = |part: &Placed<'_>| {
            let arm = at - part.moved.position - part.shift.unwrap_or_default();
            lean_at(part, &arm, &n, leeway)
        };
        lean(&a).max(lean(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_tells_its_feature() {
        use Feature::{
            Ball, Cap, Edge, EdgePoint, Ellipsoid, Face, Plane, Point, Rim, RimPoint, Ring, Side, Vertex,
        };
        let some = [Vertex(0), Vertex(9), Edge(0), Edge(700), Face(1), Cap(true), Cap(false), Rim(true)];
        let others = [
            Rim(false),
            Ball(true),
            Ball(false),
            Side,
            Ellipsoid,
            Plane,
            RimPoint(true, 7),
            RimPoint(false, 4095),
        ];
        let points = [Ring(0.0, 20), Point(Vector3::zeros(), 3), EdgePoint(Vector3::zeros(), (5, 8))];
        for feature in some.into_iter().chain(others).chain(points) {
            assert_eq!(feature_of(code_of(feature)), feature);
        }
    }
}
