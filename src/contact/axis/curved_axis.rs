//! The separating axis of a pair with a cylinder: along the normal of a plane, or of two curved features
//! (theory §3.9).
//!
//! Any direction bounds the gap from below by the separation along it, so that the widest separation along
//! all normals that two features of the surfaces have in common is the gap of bodies that touch or overlap.

use crate::contact::feature::{Cylinder, Feature, curved_parts, flat_faces, plane_of, polytope};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{
    AXIS_CANDIDATE_MARGIN, AXIS_SUPPORT, COMMON_AXIS, COMMON_AXIS_SINE, DEEP_OVERLAP, FACE_PREFERENCE,
    SAME_SIDE, SAME_START_COSINE, SHALLOW_OVERLAP,
};
use nalgebra::Vector3;
use signorini_geometry::Polytope;

/// Most searches from all sides within a step for bodies that overlap deeply, as they do at many iterates
/// where no solution exists.
const MAX_DEEP: usize = 2;

/// Two placed bodies, in world axes relative to the first.
pub struct PlacedPair<'a, 'b> {
    /// Body A.
    pub a: &'a Placed<'b>,
    /// Body B.
    pub b: &'a Placed<'b>,
    /// c_b − c_a (m).
    pub offset: Vector3<f64>,
    /// A length of the pair (m).
    pub size: f64,
    /// Side on which normals count, if given.
    pub side: Option<Vector3<f64>>,
}

/// The best axis so far: gap along it, normal from A into B, and the features of A and B that face each
/// other.
#[derive(Clone, Copy)]
pub struct FeatureAxis {
    /// Signed distance along the normal (m).
    pub gap: f64,
    /// Unit normal from A into B, world.
    pub normal: Vector3<f64>,
    /// Features of A and of B; beside a plane any feature.
    pub features: FeaturePair,
}

/// Pairs of curved features that may separate two bodies within a step, and how well they did at its start.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Shortlist {
    listed: Vec<(FeaturePair, f64)>,
    is_known: bool,
    is_rough: bool,
    /// Number of searches from all sides for bodies that overlap deeply in this step; `deep` is the normal
    /// found.
    n_deep: usize,
    deep: Option<Vector3<f64>>,
}

impl Shortlist {
    /// Shortlist for poses along a path, each near the one before: bodies that overlap deeply are not
    /// searched from all sides.
    pub fn rough() -> Self {
        Self { is_rough: true, ..Self::default() }
    }

    /// Forgets the step before.
    pub fn clear(&mut self) {
        self.listed.clear();
        self.is_known = false;
        (self.n_deep, self.deep) = (0, None);
    }

    /// Has all features searched once more, where the axis is none of those listed.
    pub fn widen(&mut self) {
        self.is_known = false;
    }

    fn note(&mut self, features: FeaturePair, gap: f64) {
        match self.listed.iter_mut().find(|listed| listed.0 == features) {
            Some(listed) => listed.1 = listed.1.max(gap),
            None => self.listed.push((features, gap)),
        }
    }
}

impl PlacedPair<'_, '_> {
    fn is_allowed(&self, n: &Vector3<f64>) -> bool {
        self.side.is_none_or(|side| side.dot(n) >= SAME_SIDE)
    }

    /// The axis of widest separation along the normals of planes.
    pub fn plane_axis(&self, start: &Vector3<f64>) -> FeatureAxis {
        if let Some((n, offset)) = self.a.moved.plane {
            let gap = self.b.model.lowest(self.b.moved, &n) - offset;
            return FeatureAxis { gap, normal: n, features: FeaturePair(Feature::Plane, Feature::Side) };
        }
        let mut plane = FeatureAxis {
            gap: f64::NEG_INFINITY,
            normal: *start,
            features: FeaturePair(Feature::Side, Feature::Side),
        };
        self.planes(&mut plane);
        plane
    }

    /// Whether an axis along which the features of both bodies touch is that of widest separation: it is a
    /// concave function of the normal where bodies are apart, and nearly where they overlap by little.
    pub fn is_widest(&self, axis: &FeatureAxis) -> bool {
        axis.gap > -SHALLOW_OVERLAP * self.size
    }

    /// The axis of curved features that separates better than `plane`, climbed to from a few normals. Where
    /// that leaves doubt, all features on the shortlist are searched.
    pub fn curved_axis(
        &self,
        start: &Vector3<f64>,
        plane: &FeatureAxis,
        shortlist: &mut Shortlist,
    ) -> Option<FeatureAxis> {
        let least = plane.gap + FACE_PREFERENCE * self.size;
        let mut curved = FeatureAxis { gap: least, ..*plane };
        let overlap = -plane.gap.max(self.a.separation_along(self.b, start));
        if overlap < DEEP_OVERLAP * self.size
            && self.climb_from(&mut curved, &[*start, self.leaning(&plane.normal)])
        {
            return Some(curved);
        }
        let starts = [plane.normal, *start, shortlist.deep.unwrap_or(*start)];
        self.listed(&mut curved, &starts, shortlist);
        let may_be_lesser = curved.gap < -DEEP_OVERLAP * self.size && self.side.is_none();
        if may_be_lesser && !shortlist.is_rough && shortlist.n_deep < MAX_DEEP {
            shortlist.n_deep += 1;
            let before = curved.gap;
            self.climb_from(&mut curved, &self.widest_of_all_sides());
            if curved.gap > before {
                shortlist.note(curved.features, curved.gap);
                shortlist.deep = Some(curved.normal);
            }
        }
        self.beside(&mut curved);
        (curved.gap > least).then_some(curved)
    }

    /// Searches a better axis among the pairs of features on the shortlist, from each of the normals, and
    /// makes the list where there is none.
    fn listed(&self, best: &mut FeatureAxis, starts: &[Vector3<f64>], shortlist: &mut Shortlist) {
        if shortlist.is_known {
            shortlist.listed.iter().for_each(|(features, _)| {
                self.try_features(best, *features, starts);
            });
            return;
        }
        let mut see = |features: FeaturePair| {
            if let Some((gap, _)) = self.try_features(best, features, starts) {
                shortlist.note(features, gap);
            }
        };
        match (polytope(self.a), polytope(self.b)) {
            (Some(p), _) => {
                beside_polytope(p, self.b, |of_p, of_cylinder| see(FeaturePair(of_p, of_cylinder)))
            }
            (_, Some(p)) => {
                beside_polytope(p, self.a, |of_p, of_cylinder| see(FeaturePair(of_cylinder, of_p)))
            }
            _ => curved_parts(self.a)
                .for_each(|of_a| curved_parts(self.b).for_each(|of_b| see(FeaturePair(of_a, of_b)))),
        }
        shortlist.listed.retain(|(_, gap)| *gap >= best.gap - AXIS_CANDIDATE_MARGIN * self.size);
        shortlist.is_known = true;
    }

    /// Widest separation along a normal of two features, and the normal. It becomes the best axis if it is
    /// the widest so far and the features support the bodies along it.
    pub(super) fn try_features(
        &self,
        best: &mut FeatureAxis,
        features: FeaturePair,
        starts: &[Vector3<f64>],
    ) -> Option<(f64, Vector3<f64>)> {
        let is_crossing = matches!(
            features,
            FeaturePair(Feature::Side | Feature::Edge(_), Feature::Side | Feature::Edge(_))
        );
        let mut widest: Option<(f64, Vector3<f64>)> = None;
        let mut other_side = None;
        for (k, start) in starts.iter().enumerate() {
            let is_known = k > 0 && start.dot(&starts[0]) > SAME_START_COSINE;
            if is_known && !is_crossing || is_crossing && k > 1 {
                continue;
            }
            // Not the opposite of the start: a cap's normal is across that of its side, but for rounding.
            let hint = other_side.filter(|_| is_crossing).unwrap_or(*start);
            let Some((n, apart)) = features.normal(self.a, self.b, &hint) else { continue };
            other_side = Some(-n);
            let gap = self.a.separation_along(self.b, &n);
            // NaN: parallel lines have no normal.
            if gap > widest.map_or(f64::NEG_INFINITY, |widest| widest.0) {
                widest = Some((gap, n));
            }
            // No separation exceeds the distance of the two features, and only along the normal of features
            // that support the bodies does it reach that distance.
            if gap > best.gap && gap >= apart - AXIS_SUPPORT * self.size && self.is_allowed(&n) {
                *best = FeatureAxis { gap, normal: n, features };
            }
        }
        widest
    }

    /// Tries the faces of a polytope and the caps of cylinders.
    fn planes(&self, best: &mut FeatureAxis) {
        for (of_a, body) in [(true, self.a), (false, self.b)] {
            for feature in flat_faces(body) {
                let Some((out, _)) = plane_of(feature, body) else { continue };
                let n = if of_a { out } else { -out };
                let gap = self.a.separation_along(self.b, &n);
                let least = best.gap + if of_a { 0.0 } else { FACE_PREFERENCE * self.size };
                if gap > least && self.is_allowed(&n) {
                    let features = if of_a {
                        FeaturePair(feature, Feature::Side)
                    } else {
                        FeaturePair(Feature::Side, feature)
                    };
                    *best = FeatureAxis { gap, normal: n, features };
                }
            }
        }
    }

    /// Tries the normal between parallel cylinders, whose sides have none of their own.
    fn beside(&self, best: &mut FeatureAxis) {
        let (Some(first), Some(second)) = (Cylinder::of(self.a), Cylinder::of(self.b)) else { return };
        let apart = self.offset + second.center - first.center;
        let across = apart - first.axis * first.axis.dot(&apart);
        let Some(n) = across.try_normalize(COMMON_AXIS * self.size) else { return };
        let gap = self.a.separation_along(self.b, &n);
        if gap > best.gap && first.axis.cross(&second.axis).norm() < COMMON_AXIS_SINE && self.is_allowed(&n) {
            *best = FeatureAxis { gap, normal: n, features: FeaturePair(Feature::Side, Feature::Side) };
        }
    }
}

/// Visits the pairs of features of a polytope and of a cylinder or capsule that may have a normal of their
/// own.
fn beside_polytope(p: &Polytope, cylinder: &Placed<'_>, mut see: impl FnMut(Feature, Feature)) {
    (0..p.vertices.len()).for_each(|v| see(Feature::Vertex(v), Feature::Side));
    (0..p.edges.len()).for_each(|e| curved_parts(cylinder).for_each(|part| see(Feature::Edge(e), part)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::{Quaternion, UnitQuaternion};
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    /// Two cylinders at right angles, one beside the other, 0.1 m apart: the normal across both axes is
    /// perpendicular to those of the caps, and its side is found all the same.
    #[test]
    fn crossed_cylinders_are_seen_from_either_side() {
        let cylinder = |radius: f64, half_length: f64| {
            PartModel::new(0, 0, &Part::new(Shape::Cylinder { radius, half_length }))
        };
        let models = [cylinder(0.1, 0.2), cylinder(0.05, 0.3)];
        let upright = MovedPart::new(&models[0], &Pose::identity());
        for side in [1.0, -1.0] {
            // Turns z onto x exactly.
            let orientation = UnitQuaternion::new_unchecked(Quaternion::new(0.5, 0.5, 0.5, 0.5));
            let position = Vector3::new(0.05, 0.25 * side, 0.1);
            let lying = MovedPart::new(&models[1], &Pose { position, orientation });
            let (a, b) = (Placed::new(&models[0], &upright), Placed::new(&models[1], &lying));
            let bodies = PlacedPair { a: &a, b: &b, offset: position, size: 0.05, side: None };
            for start in [Vector3::x(), Vector3::z(), Vector3::y() * -side] {
                let plane = bodies.plane_axis(&start);
                let curved = bodies.curved_axis(&start, &plane, &mut Shortlist::rough());
                let axis = curved.expect("the normal across both axes");
                assert!((axis.gap - 0.1).abs() < 1e-12, "{side} from {start:?}: {}", axis.gap);
                assert!((axis.normal - Vector3::y() * side).norm() < 1e-12, "{:?}", axis.normal);
            }
        }
    }

    /// A climb ends where a search among all features from all sides does, but for one in a thousand of those
    /// that overlap deeply.
    #[test]
    fn climbs_reach_the_widest_separation() {
        let shapes = [
            Shape::Cylinder { radius: 0.1, half_length: 0.2 },
            Shape::Cylinder { radius: 0.1, half_length: 0.005 },
            Shape::Cylinder { radius: 0.0027, half_length: 0.082 },
            Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(0.1, 0.05, 0.08)))),
            Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(0.125, 0.0626, 0.0031)))),
        ];
        let models = shapes.map(|shape| PartModel::new(0, 0, &Part::new(shape)));
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        };
        let mut counts = [[0; 2]; 3];
        for case in 0..20000 {
            let (i, j) = (case % 5, case / 5 % 5);
            if i.min(j) > 2 {
                continue;
            }
            let mut turn =
                || UnitQuaternion::from_quaternion(Quaternion::new(next(), next(), next(), next()));
            let turns = [turn(), turn()];
            let out = Vector3::new(next(), next(), next()).normalize();
            let pose = |position: Vector3<f64>, k: usize| Pose { position, orientation: turns[k] };
            let first = MovedPart::new(&models[i], &pose(Vector3::zeros(), 0));
            let there = MovedPart::new(&models[j], &pose(Vector3::zeros(), 1));
            let apart = models[i].support_width(&first, &out) + models[j].support_width(&there, &-out);
            let position = out * (apart * (0.9 + 0.12 * next()));
            let second = MovedPart::new(&models[j], &pose(position, 1));
            let (a, b) = (Placed::new(&models[i], &first), Placed::new(&models[j], &second));
            let size = models[i].smaller_size(&models[j]);
            let bodies = PlacedPair { a: &a, b: &b, offset: position, size, side: None };
            let near = (out + Vector3::new(next(), next(), next()) * 0.2).normalize();
            let plane = bodies.plane_axis(&near);
            let curved = bodies.curved_axis(&near, &plane, &mut Shortlist::rough());
            let reached = curved.unwrap_or(plane).gap;
            let mut widest = plane.gap;
            for _ in 0..12 {
                let start = Vector3::new(next(), next(), next()).normalize();
                let mut axis = FeatureAxis { gap: widest, ..plane };
                bodies.listed(&mut axis, &[near, start], &mut Shortlist::rough());
                widest = axis.gap;
            }
            let kind = if widest > 0.0 {
                0
            } else if widest > -0.02 * size {
                1
            } else {
                2
            };
            counts[kind][0] += 1;
            counts[kind][1] += usize::from(reached < widest - 2e-8 * size);
        }
        let [apart, little, deep] = counts;
        assert!(apart[0] > 9000 && apart[1] == 0 && little[0] > 200 && little[1] == 0, "{counts:?}");
        assert!(deep[0] > 3000 && 1000 * deep[1] < deep[0], "{counts:?}");
    }
}
