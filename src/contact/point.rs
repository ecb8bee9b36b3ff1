//! One contact point of a flat pair: its features, its geometry at a pose, and its error in supporting both
//! bodies.

use crate::contact::activation::{Activation, Exclusions};
use crate::contact::feature::{Feature, edge_line, outside, piece, plane_of, point_arm};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::rim_tilt::{Tilt, is_upright};
use crate::contact::tolerances::{
    AT_RIM_FACTOR, CROSSING_OFF, CROSSING_OFF_SINE, MAX_LEVER, PARALLEL_SINE, SEAM_LEAN, SEAM_TILT,
};
use crate::contact::union_normal::{Reach, has_normal_near};
use nalgebra::{Matrix3, Vector3};
use signorini_kernels::flat_point::{
    PointGeometry, edge_edge, edge_edge_tangent, face_point, face_point_tangent, swapped_tangent,
};
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::piece_pair::{Solved, tangent};
use signorini_kernels::wrench::WrenchPoint;

/// One contact point: 0 ≤ p ⊥ gap ≥ 0.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct ContactPoint {
    /// Features that the contact point holds apart.
    pub feature: FeaturePair,
    /// Normal, points and gap at the last evaluated pose.
    pub geometry: PointGeometry<f64>,
    /// Turn S of the points of round features of A and of B with the normal (m).
    pub(super) slope: [Matrix3<f64>; 2],
    /// Tilt of the round features over planes.
    pub(super) tilt: Tilt,
    /// Whether its points face each other along the normal: they do not where a side lies on a cap, and its
    /// rim has no lowest point.
    pub(super) is_found: bool,
    /// Impulse p of the last solve (N s).
    pub impulse: f64,
    /// Acting point at the start of the step, under the staggered integrator. None: not known at the start,
    /// or not touching.
    pub start: Option<WrenchPoint<f64>>,
    /// Whether it may exert an impulse.
    pub activation: Activation,
    /// Exclusions in this step.
    pub(crate) exclusions: Exclusions,
}

impl ContactPoint {
    /// Makes a contact point met for the first time, not evaluated yet.
    pub(super) fn new(feature: FeaturePair) -> Self {
        Self {
            feature,
            geometry: NOWHERE,
            slope: [Matrix3::zeros(); 2],
            tilt: Tilt::default(),
            is_found: true,
            impulse: 0.0,
            start: None,
            activation: Activation::Active,
            exclusions: Exclusions::default(),
        }
    }

    /// Whether the contact point may exert an impulse at this pose.
    pub fn exerts(&self) -> bool {
        self.activation.exerts()
    }

    /// Excludes the contact point until it is readmitted.
    pub(crate) fn exclude(&mut self) {
        self.activation = self.activation.excluded();
        self.exclusions.count += 1;
    }

    /// Whether both bodies have its normal at its place: at a seam between two parts of a body it may be that
    /// of a part only. A point under a face of the other body has but to stay outside that face, whose normal
    /// may lean.
    pub(super) fn is_of_unions(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        !self.feature.is_of_earlier([a.model, b.model]) && is_of_unions(self.feature, &self.geometry, a, b)
    }

    /// Whether the contact point is the lowest point of a rim that lies flat, or its points do not face each
    /// other.
    pub(super) fn is_lost(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        !self.is_found || !self.feature.is_polyhedral() && is_upright(self.feature, a, b)
    }

    /// Whether two edges that are nearly parallel cross far beyond their ends. With a lever of many metres a
    /// load there would be anything.
    pub(super) fn is_off(&self, a: &Placed<'_>, b: &Placed<'_>, size: f64) -> bool {
        let FeaturePair(of_a, of_b) = self.feature;
        let (Some((_, u)), Some((_, w))) = (line_of(of_a, a), line_of(of_b, b)) else { return false };
        u.cross(&w).norm() < CROSSING_OFF_SINE && off_feature(self, a, b) > CROSSING_OFF * size
    }

    /// Normal and points as last evaluated.
    pub fn wrench_point(&self) -> WrenchPoint<f64> {
        let g = &self.geometry;
        WrenchPoint { normal: g.normal, arms: [g.arm_a, g.arm_b] }
    }

    /// Point at which its fraction of friction acts on both bodies: on the surface of B (theory §3.8).
    pub fn acting_point(&self) -> WrenchPoint<f64> {
        let g = &self.geometry;
        WrenchPoint { normal: g.normal, arms: [g.arm_a + g.normal * g.gap, g.arm_b] }
    }

    fn solved(&self) -> Solved<f64> {
        Solved { point: self.geometry, slope: self.slope, mismatch: 0.0, residual: 0.0 }
    }
}

/// Error of a contact point in supporting both bodies (m): other features of them beyond its plane, and its
/// point outside its own feature.
pub(super) fn support_error(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> (f64, f64) {
    let ([beyond_a, beyond_b], outside) = (beyond_nearby(point, a, b), off_feature(point, a, b));
    if point.feature.is_polyhedral() {
        return (beyond_b.max(beyond_a), outside);
    }
    let FeaturePair(of_a, of_b) = point.feature;
    // Any point of one body must stay above a plane of the other, be it the lowest or not; but where it is
    // taken above the rim of the plane, the rim may be what it touches.
    let beyond = match (of_a.is_flat(), of_b.is_flat()) {
        (true, _) if of_b.is_crossing() => beyond_a.max(beyond_b * AT_RIM_FACTOR),
        (_, true) if of_a.is_crossing() => beyond_b.max(beyond_a * AT_RIM_FACTOR),
        (true, _) => beyond_a,
        (_, true) => beyond_b,
        _ => beyond_b.max(beyond_a),
    };
    (beyond, outside)
}

/// Distance of a contact point's normal and point from being a normal and a point of both bodies (m): any
/// feature of either beyond its plane counts.
pub(super) fn cut(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let [beyond_a, beyond_b] = beyond_nearby(point, a, b);
    beyond_a.max(beyond_b).max(off_feature(point, a, b))
}

/// Depth of each body beyond the plane of a contact point (m). A long body whose line crosses the rim of a
/// face or cap is beyond the plane far away, however little it leans: the depth counts as if it were not much
/// longer than the other body.
fn beyond_nearby(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> [f64; 2] {
    let reaches = beyond(&point.wrench_point(), a, b);
    let FeaturePair(of_a, of_b) = point.feature;
    let length = MAX_LEVER * a.model.smaller_size(b.model);
    let nearby = |reach: f64, of: Feature, body: &Placed<'_>| {
        let is_long = !of.is_polyhedral() && of.is_crossing() && body.model.radius > length;
        if is_long { reach * length / body.model.radius } else { reach }
    };
    [nearby(reaches[0], of_a, a), nearby(reaches[1], of_b, b)]
}

/// Depth of each body beyond the plane of a point with a normal (m).
pub fn beyond(at: &WrenchPoint<f64>, a: &Placed<'_>, b: &Placed<'_>) -> [f64; 2] {
    let (n, [arm_a, arm_b]) = (&at.normal, &at.arms);
    let beyond_b = n.dot(arm_b) + b.model.support_width(b.moved, &-n);
    let beyond_a = match a.moved.plane {
        Some(_) => 0.0,
        None => a.model.support_width(a.moved, n) - n.dot(arm_a),
    };
    [beyond_a, beyond_b]
}

/// Distance of the contact point's points from its features (m).
pub(crate) fn off_feature(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let FeaturePair(of_a, of_b) = point.feature;
    outside(of_a, a, &point.geometry.arm_a).max(outside(of_b, b, &point.geometry.arm_b))
}

/// Whether both bodies have the normal of features in this geometry.
fn is_of_unions(
    FeaturePair(of_a, of_b): FeaturePair,
    g: &PointGeometry<f64>,
    a: &Placed<'_>,
    b: &Placed<'_>,
) -> bool {
    let tilt = |other: Feature| if other.is_flat() { SEAM_LEAN } else { SEAM_TILT };
    has_normal_near(a, (&g.normal, &g.arm_a), tilt(of_b), Reach::of_gap(a, g.gap))
        && has_normal_near(b, (&-g.normal, &g.arm_b), tilt(of_a), Reach::of_gap(b, g.gap))
}

/// Whether some of the features that touch along an axis make contact points that both bodies have.
pub(super) fn any_of_unions(
    found: &[FeaturePair],
    a: &Placed<'_>,
    b: &Placed<'_>,
    axis: &Vector3<f64>,
) -> bool {
    found.iter().any(|feature| is_of_unions(*feature, &place_point(*feature, a, b, axis).0, a, b))
}

pub(super) const NOWHERE: PointGeometry<f64> = PointGeometry {
    normal: Vector3::new(0.0, 0.0, 0.0),
    arm_a: Vector3::new(0.0, 0.0, 0.0),
    arm_b: Vector3::new(0.0, 0.0, 0.0),
    gap: f64::INFINITY,
};

/// Returns normal, points and gap of a feature, the turn of the points of round features with the normal, and
/// the mismatch of the points along the plane (m).
pub(super) fn place_point(
    feature: FeaturePair,
    a: &Placed<'_>,
    b: &Placed<'_>,
    hint: &Vector3<f64>,
) -> (PointGeometry<f64>, [Matrix3<f64>; 2], f64) {
    let nowhere = |mismatch: f64| (NOWHERE, [Matrix3::zeros(); 2], mismatch);
    if feature.is_polyhedral() {
        let flat = place_polyhedral(feature, a, b);
        return flat.map_or_else(|| nowhere(f64::INFINITY), |flat| (flat, [Matrix3::zeros(); 2], 0.0));
    }
    let Some(found) = feature.solve(a, b, hint) else { return nowhere(0.0) };
    // Parallel lines cross at no finite point.
    let is_somewhere = found.point.arm_a.iter().chain(&found.point.arm_b).all(|x| x.is_finite());
    if is_somewhere { (found.point, found.slope, found.mismatch) } else { nowhere(f64::INFINITY) }
}

/// Places features of half-spaces and polytopes; None where two edges are parallel.
pub(super) fn place_polyhedral(
    feature: FeaturePair,
    a: &Placed<'_>,
    b: &Placed<'_>,
) -> Option<PointGeometry<f64>> {
    let offset = a.way_to(b);
    if let Some((normal, arm_face)) = plane_of(feature.0, a) {
        return Some(face_point(&normal, &arm_face, &offset, &point_arm(feature.1, b)?));
    }
    if let Some((normal, arm_face)) = plane_of(feature.1, b) {
        return Some(face_point(&normal, &arm_face, &-offset, &point_arm(feature.0, a)?).swapped());
    }
    let ((arm_a, u), (arm_b, w)) = (line_of(feature.0, a)?, line_of(feature.1, b)?);
    // A's shape holds its own origin: the arm of the edge from that origin points outwards.
    let outward = arm_a - a.moved.shape_origin;
    let is_parallel = u.cross(&w).norm() <= PARALLEL_SINE * u.norm() * w.norm();
    (!is_parallel).then(|| edge_edge(&arm_a, &u, &offset, &arm_b, &w, &outward))
}

/// A point and the unit direction of an edge of a polytope.
fn line_of(feature: Feature, body: &Placed<'_>) -> Option<(Vector3<f64>, Vector3<f64>)> {
    match feature {
        Feature::Edge(edge) => edge_line(body, edge),
        _ => None,
    }
}

/// Derivatives of a contact point's normal and arms with the poses.
pub fn point_tangent(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
    let FeaturePair(of_a, of_b) = point.feature;
    if !point.feature.is_polyhedral() {
        let FeaturePair(of_a, of_b) = point.feature.at(a, b, &point.geometry);
        return match (piece(of_a, a), piece(of_b, b)) {
            (Some(pa), Some(pb)) => tangent(&pa, &pb, &point.solved()),
            _ => PairTangent::zero(),
        };
    }
    if of_a.is_flat() {
        return face_point_tangent(&point.geometry);
    }
    if of_b.is_flat() {
        return swapped_tangent(&face_point_tangent(&point.geometry.swapped()));
    }
    match (line_of(of_a, a), line_of(of_b, b)) {
        (Some((_, u)), Some((_, w))) => edge_edge_tangent(&point.geometry, &u, &w),
        _ => PairTangent::zero(),
    }
}
