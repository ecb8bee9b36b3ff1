//! Closest points of a pair with an ellipsoid.

use crate::contact::bore::Bore;
use crate::contact::feature::{Feature, piece};
use crate::contact::pair::Pair;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::part_model::MovedPart;
use crate::contact::placed::Placed;
use crate::contact::single_point::{nearest_feature, shallowest_face};
use crate::contact::tolerances::{CLOSEST_POINT_TOLERANCE, MISSED_OVERLAP, SEAM_TILT};
use crate::contact::union_normal::has_normal;
use nalgebra::{Matrix3, Vector3};
use signorini_kernels::flat_point::{PointGeometry, swapped_tangent};
use signorini_kernels::pair_tangent::PairTangent;
use signorini_kernels::piece_pair::{Piece, Solved, tangent};
use signorini_kernels::smooth_pair::{Closest, Ellipsoid, closest_points};

impl Pair {
    /// Evaluates closest points and frame of a smooth pair at the start of a step; an overlap is taken across
    /// the face with the shortest way out.
    pub(super) fn begin_smooth(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        self.evaluate(a, b);
        let face = match self.feature {
            Feature::Ellipsoid => None,
            _ if Bore::of(a).is_some() => None,
            _ if a.model.shape.is_ellipsoid() => {
                shallowest_face(b, a, self.geometry.gap).map(|(face, out)| (face, -out))
            }
            _ => shallowest_face(a, b, self.geometry.gap),
        };
        if let Some(face) = face {
            (self.feature, self.geometry.normal) = face;
            self.evaluate(a, b);
        }
        self.start_feature = Some(self.feature);
    }

    /// Closest points at a pose, found from a feature and a normal. Where the pair overlaps, it is seen from
    /// the side of the start of the step, if it is less deep there: an iterate may pass through a thin part,
    /// and features are followed from pose to pose, so that the pair would stay on the far side with the
    /// iterate back on the near one.
    pub fn smooth_point(
        &self,
        sides: [&Placed<'_>; 2],
        size: f64,
        (feature, normal): (Feature, &Vector3<f64>),
    ) -> SmoothPoint {
        let found = SmoothPoint::find(sides, feature, normal);
        let Some(start) = self.start_feature else { return found };
        if start == found.feature || found.gap >= -MISSED_OVERLAP * size {
            return found;
        }
        let near = SmoothPoint::find(sides, start, &self.frame.0);
        if near.gap > found.gap { near } else { found }
    }

    /// Evaluates closest points and frame of a smooth pair; warm-starts from the last normal.
    pub(super) fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        self.take_smooth(&SmoothPoint::find([a, b], self.feature, &self.geometry.normal), a, b);
    }

    /// Evaluates closest points and frame of a smooth pair, on the near side of a thin part.
    pub(super) fn evaluate_near(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64) {
        let found = self.smooth_point([a, b], size, (self.feature, &self.geometry.normal));
        self.take_smooth(&found, a, b);
    }

    /// Takes closest points over, with a frame at their normal.
    fn take_smooth(&mut self, found: &SmoothPoint, a: &Placed<'_>, b: &Placed<'_>) {
        let (tangent_t, tangent_o) = self.frame_at(&found.normal, a.moved, b.moved);
        let ([arm_a, arm_b], [slope_a, slope_b]) = (found.arms, found.slopes);
        self.geometry = PairGeometry {
            normal: found.normal,
            tangent_t,
            tangent_o,
            arm_a,
            arm_b,
            gap: found.gap,
            across: Vector3::zeros(),
            alignment: 1.0,
            mismatch: found.mismatch,
            slope_a,
            slope_b,
        };
        (self.feature, self.is_hidden) = (found.feature, found.is_hidden);
        self.scale_tangents(a.moved, b.moved);
    }

    /// Derivatives of the geometry that closest points on a feature have.
    pub(super) fn feature_tangent(&self, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
        let g = &self.geometry;
        if let Some(bore) = Bore::of(a) {
            let point = PointGeometry { normal: g.normal, arm_a: g.arm_a, arm_b: g.arm_b, gap: g.gap };
            let slope = [g.slope_a, g.slope_b];
            return bore.tangent(b, self.feature, &Solved { point, slope, mismatch: 0.0, residual: 0.0 });
        }
        let ball_is_a = a.model.shape.is_ellipsoid();
        let body = if ball_is_a { b } else { a };
        let ball = Piece::round(if ball_is_a { a } else { b }.moved.ellipsoid);
        let Some(own) = piece(self.feature, body) else { return PairTangent::zero() };
        let point = PointGeometry { normal: g.normal, arm_a: g.arm_a, arm_b: g.arm_b, gap: g.gap };
        let solved = |point, slope| Solved { point, slope, mismatch: 0.0, residual: 0.0 };
        if ball_is_a {
            swapped_tangent(&tangent(&own, &ball, &solved(point.swapped(), [g.slope_b, g.slope_a])))
        } else {
            tangent(&own, &ball, &solved(point, [g.slope_a, g.slope_b]))
        }
    }
}

/// Closest points of a smooth pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct SmoothPoint {
    /// Feature with which a polytope or cylinder touches the ellipsoid.
    pub feature: Feature,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Arms from the centres of mass of A and B (m).
    pub arms: [Vector3<f64>; 2],
    /// Signed distance (m).
    pub gap: f64,
    /// Mismatch of the points along the plane (m), 0 once within [`CLOSEST_POINT_TOLERANCE`].
    pub mismatch: f64,
    /// Whether the normal is none of the bodies that the parts belong to.
    pub is_hidden: bool,
    slopes: [Matrix3<f64>; 2],
}

impl SmoothPoint {
    /// Finds the closest points of two placed parts, from a feature and a normal.
    pub fn find([a, b]: [&Placed<'_>; 2], feature: Feature, start: &Vector3<f64>) -> Self {
        if let Some(bore) = Bore::of(a) {
            return Self::in_bore(&bore, [a, b]);
        }
        if !b.model.shape.is_ellipsoid() || !a.model.shape.is_ellipsoid() && a.moved.plane.is_none() {
            return Self::on_feature([a, b], feature, start);
        }
        let way = a.way_to(b);
        let (a, b) = (a.moved, b.moved);
        let closest = match a.plane {
            Some((n, offset)) => plane_gap(&n, offset, b),
            None => {
                let (ea, eb) = relative(a, b, &way);
                closest_points(&ea, &eb, start, CLOSEST_POINT_TOLERANCE)
            }
        };
        let arm_b = b.ellipsoid.center + closest.support_b;
        let arm_a = if a.plane.is_some() {
            b.position + arm_b - closest.normal * closest.gap - a.position
        } else {
            a.ellipsoid.center + closest.support_a
        };
        Self {
            feature: Feature::Ellipsoid,
            normal: closest.normal,
            arms: [arm_a, arm_b],
            gap: closest.gap,
            mismatch: if closest.residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { closest.mismatch },
            is_hidden: false,
            slopes: [closest.slope_a, closest.slope_b],
        }
    }

    /// Finds the point of B that a part of a bore is for.
    fn in_bore(bore: &Bore, sides: [&Placed<'_>; 2]) -> Self {
        let (feature, solved, is_there) = bore.closest(sides);
        let of_body = Self::of(feature, &solved);
        let is_normal = has_normal(sides[1], &-of_body.normal, &of_body.arms[1], SEAM_TILT);
        Self { is_hidden: !is_there || !is_normal, ..of_body }
    }

    /// A solved point that transmits.
    fn of(feature: Feature, solved: &Solved<f64>) -> Self {
        let Solved { point, slope, mismatch, residual } = solved;
        Self {
            feature,
            normal: point.normal,
            arms: [point.arm_a, point.arm_b],
            gap: point.gap,
            mismatch: if *residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { *mismatch },
            is_hidden: false,
            slopes: *slope,
        }
    }

    /// Finds the closest points of an ellipsoid and a polytope or cylinder.
    fn on_feature([a, b]: [&Placed<'_>; 2], feature: Feature, start: &Vector3<f64>) -> Self {
        let ball_is_a = a.model.shape.is_ellipsoid();
        let (feature, mut solved) = if ball_is_a {
            nearest_feature(b, a, feature, &-start)
        } else {
            nearest_feature(a, b, feature, start)
        };
        if ball_is_a {
            solved.point = solved.point.swapped();
            solved.slope.swap(0, 1);
        }
        let found = Self::of(feature, &solved);
        let transmits = has_normal(a, &found.normal, &found.arms[0], SEAM_TILT)
            && has_normal(b, &-found.normal, &found.arms[1], SEAM_TILT);
        Self { is_hidden: !transmits, ..found }
    }
}

/// Returns both ellipsoids about A's centre of mass: differences of large world positions are taken only
/// here.
fn relative(a: &MovedPart, b: &MovedPart, way: &Vector3<f64>) -> (Ellipsoid<f64>, Ellipsoid<f64>) {
    let mut eb = b.ellipsoid;
    eb.center += way;
    (a.ellipsoid, eb)
}

/// Gap to a plane as the kernel finds it, with the height taken from world positions.
fn plane_gap(n: &Vector3<f64>, offset: f64, b: &MovedPart) -> Closest<f64> {
    let (h, s) = b.ellipsoid.support(n);
    Closest {
        normal: *n,
        support_a: Vector3::zeros(),
        support_b: -s,
        slope_a: Matrix3::zeros(),
        slope_b: b.ellipsoid.support_slope(h, &s),
        gap: n.dot(&(b.position + b.ellipsoid.center)) - h - offset,
        residual: 0.0,
        mismatch: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::activation::CheckLevel;
    use crate::contact::feature::{flat_faces, plane_of};
    use crate::contact::feature_search::FeatureSearch;
    use crate::contact::pair::PointLoads;
    use crate::contact::part_model::PartModel;
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Polytope, Pose, Shape};
    use signorini_scene::scene::{Friction, Part};
    use std::sync::Arc;

    /// An iterate left a ball beyond a plate; the next one is on the near side again.
    #[test]
    fn a_ball_that_was_beyond_a_plate_comes_back() {
        let plate = Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(1.0, 1.0, 0.05))));
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(0.1) };
        let (plate, ball) = (PartModel::new(0, 0, &Part::new(plate)), PartModel::new(1, 0, &Part::new(ball)));
        let at = |model: &PartModel, height: f64| {
            let position = Vector3::new(0.2, 0.1, height);
            MovedPart::new(model, &Pose { position, orientation: UnitQuaternion::identity() })
        };
        let (under, above, touching) = (at(&plate, 0.0), at(&ball, 0.2), at(&ball, 0.14));
        let [under, above, touching] =
            [(&plate, &under), (&ball, &above), (&ball, &touching)].map(|(m, at)| Placed::new(m, at));
        let mut pair = Pair::new(&plate, &ball, Friction::NONE, false, ([0; 3], Vector3::z()));
        pair.begin(&under, &above, 0.0, &mut FeatureSearch::default());
        pair.frame = (pair.geometry.normal, pair.geometry.tangent_t);
        let (near, below) = (pair.feature, flat_face_below(&under));
        (pair.feature, pair.geometry.normal) = (below, -Vector3::z());
        let (search, loads) = (&mut FeatureSearch::default(), PointLoads::default());
        pair.refresh([&under, &touching], search, loads, CheckLevel::None);
        assert_eq!((pair.feature, pair.geometry.normal), (near, Vector3::z()));
        assert!((pair.geometry.gap + 0.01).abs() < 1e-12, "{}", pair.geometry.gap);
    }

    fn flat_face_below(part: &Placed<'_>) -> Feature {
        let is_below = |face: &Feature| plane_of(*face, part).is_some_and(|(out, _)| out.z < -0.9);
        flat_faces(part).find(is_below).expect("a face below")
    }
}
