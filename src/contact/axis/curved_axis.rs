//! The separating axis of a pair with a cylinder: along the normal of a plane, or of two curved features
//! (theory §3.9).
//!
//! Any direction bounds the gap from below by the separation along it, so that the widest separation along
//! all normals that two features of the surfaces have in common is the gap of bodies that touch or overlap.

use crate::contact::feature::{Cylinder, Feature, plane_of, polytope};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{
    AXIS_CANDIDATE_MARGIN, AXIS_SUPPORT, COMMON_AXIS, COMMON_AXIS_SINE, DEEP_OVERLAP, FACE_PREFERENCE,
    SAME_SIDE, SAME_START_COSINE,
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

    /// The planar axis of widest separation, and the axis of curved features that separate better, if there
    /// are any.
    pub fn axis(
        &self,
        start: &Vector3<f64>,
        shortlist: &mut Shortlist,
    ) -> (FeatureAxis, Option<FeatureAxis>) {
        if let Some((n, offset)) = self.a.moved.plane {
            let gap = self.b.model.lowest(self.b.moved, &n) - offset;
            return (
                FeatureAxis { gap, normal: n, features: FeaturePair(Feature::Plane, Feature::Side) },
                None,
            );
        }
        let mut plane = FeatureAxis {
            gap: f64::NEG_INFINITY,
            normal: *start,
            features: FeaturePair(Feature::Side, Feature::Side),
        };
        self.planes(&mut plane);
        let least = plane.gap + FACE_PREFERENCE * self.size;
        let mut curved = FeatureAxis { gap: least, ..plane };
        let starts = [plane.normal, *start, shortlist.deep.unwrap_or(*start)];
        if shortlist.is_known {
            shortlist.listed.iter().for_each(|(features, _)| {
                self.try_features(&mut curved, *features, &starts);
            });
        } else {
            self.curved(&mut curved, &starts, &mut |features, gap| shortlist.note(features, gap));
            shortlist.listed.retain(|(_, gap)| *gap >= curved.gap - AXIS_CANDIDATE_MARGIN * self.size);
            shortlist.is_known = true;
        }
        let may_be_lesser = curved.gap < -DEEP_OVERLAP * self.size && self.side.is_none();
        if may_be_lesser && !shortlist.is_rough && shortlist.n_deep < MAX_DEEP {
            shortlist.n_deep += 1;
            let before = curved.gap;
            // The middle of the 27 is no direction.
            let from = |k: usize| [1, 3, 9].map(|d| ((k + k / 13) / d % 3) as f64 - 1.0);
            let all: [Vector3<f64>; 26] = std::array::from_fn(|k| Vector3::from(from(k)).normalize());
            self.curved(&mut curved, &all, &mut |_, _| ());
            if curved.gap > before {
                shortlist.note(curved.features, curved.gap);
                shortlist.deep = Some(curved.normal);
            }
        }
        self.beside(&mut curved);
        (plane, (curved.gap > least).then_some(curved))
    }

    /// Searches a better axis among all pairs of curved features, from each of the normals; `see` gets their
    /// separations.
    fn curved(&self, best: &mut FeatureAxis, starts: &[Vector3<f64>], see: &mut dyn FnMut(FeaturePair, f64)) {
        let mut try_features = |features: FeaturePair| {
            let widest = self.try_features(best, features, starts);
            see(features, widest);
        };
        match (polytope(self.a), polytope(self.b)) {
            (Some(p), _) => curved_parts(p, |of_p, of_cylinder| try_features(FeaturePair(of_p, of_cylinder))),
            (_, Some(p)) => curved_parts(p, |of_p, of_cylinder| try_features(FeaturePair(of_cylinder, of_p))),
            _ => {
                let rims = [Feature::Rim(true), Feature::Rim(false)];
                for rim in rims {
                    try_features(FeaturePair(Feature::Side, rim));
                    try_features(FeaturePair(rim, Feature::Side));
                    rims.iter().for_each(|other| try_features(FeaturePair(rim, *other)));
                }
                try_features(FeaturePair(Feature::Side, Feature::Side));
            }
        }
    }

    /// Widest separation along a normal of two features, which becomes the best axis if it is the widest so
    /// far and the features support the bodies along it.
    fn try_features(&self, best: &mut FeatureAxis, features: FeaturePair, starts: &[Vector3<f64>]) -> f64 {
        let is_crossing = matches!(
            features,
            FeaturePair(Feature::Side | Feature::Edge(_), Feature::Side | Feature::Edge(_))
        );
        let mut widest = f64::NEG_INFINITY;
        let mut other_side = None;
        for (k, start) in starts.iter().enumerate() {
            let is_known = k > 0 && start.dot(&starts[0]) > SAME_START_COSINE;
            if is_known && !is_crossing || is_crossing && k > 1 {
                continue;
            }
            // Not the opposite of the start: a cap's normal is across that of its side, but for rounding.
            let hint = other_side.filter(|_| is_crossing).unwrap_or(*start);
            let Some(found) = features.solve(self.a, self.b, &hint) else { continue };
            other_side = Some(-found.point.normal);
            let (n, apart) = (found.point.normal, found.point.gap);
            let gap = self.a.separation_along(self.b, &n);
            // NaN: parallel lines have no normal.
            if gap > widest {
                widest = gap;
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
            let n_faces = polytope(body).map_or(2, |p| p.faces.len());
            for i in 0..n_faces {
                let feature = if polytope(body).is_some() { Feature::Face(i) } else { Feature::Cap(i == 0) };
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

/// Visits the pairs of features of a polytope and a cylinder that may have a normal of their own.
fn curved_parts(p: &Polytope, mut see: impl FnMut(Feature, Feature)) {
    for v in 0..p.vertices.len() {
        see(Feature::Vertex(v), Feature::Side);
    }
    for e in 0..p.edges.len() {
        see(Feature::Edge(e), Feature::Side);
        see(Feature::Edge(e), Feature::Rim(true));
        see(Feature::Edge(e), Feature::Rim(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::{Quaternion, UnitQuaternion};
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;

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
                let (_, curved) = bodies.axis(&start, &mut Shortlist::rough());
                let axis = curved.expect("the normal across both axes");
                assert!((axis.gap - 0.1).abs() < 1e-12, "{side} from {start:?}: {}", axis.gap);
                assert!((axis.normal - Vector3::y() * side).norm() < 1e-12, "{:?}", axis.normal);
            }
        }
    }
}
