//! Closest points of a pair with an ellipsoid.

use crate::contact::feature::piece;
use crate::contact::pair::Pair;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::part_model::MovedPart;
use crate::contact::placed::Placed;
use crate::contact::single_point::nearest_feature;
use crate::contact::tolerances::{CLOSEST_POINT_TOLERANCE, SEAM_TILT};
use crate::contact::union_normal::has_normal;
use crate::geometry::Shape;
use crate::kernels::flat_point::{PointGeometry, swapped_tangent};
use crate::kernels::pair_tangent::PairTangent;
use crate::kernels::piece_pair::{Piece, Solved, tangent};
use crate::kernels::smooth_pair::{Closest, Ellipsoid, closest_points};
use nalgebra::{Matrix3, Vector3};

impl Pair {
    /// Evaluates closest points and frame of a smooth pair; warm-starts from the last normal.
    pub(super) fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        let is_ball = |body: &Placed<'_>| matches!(body.model.shape, Shape::Ellipsoid { .. });
        if !is_ball(b) || !is_ball(a) && a.moved.plane.is_none() {
            return self.evaluate_part(a, b, is_ball(a));
        }
        let way = a.way_to(b);
        let (a, b) = (a.moved, b.moved);
        let closest = match a.plane {
            Some((n, offset)) => plane_gap(&n, offset, b),
            None => {
                let (ea, eb) = relative(a, b, &way);
                closest_points(&ea, &eb, &self.geometry.normal, CLOSEST_POINT_TOLERANCE)
            }
        };
        let arm_b = b.ellipsoid.center + closest.support_b;
        let arm_a = if a.plane.is_some() {
            b.position + arm_b - closest.normal * closest.gap - a.position
        } else {
            a.ellipsoid.center + closest.support_a
        };
        let (tangent_t, tangent_o) = self.frame_at(&closest.normal, a, b);
        self.geometry = PairGeometry {
            normal: closest.normal,
            tangent_t,
            tangent_o,
            arm_a,
            arm_b,
            gap: closest.gap,
            alignment: 1.0,
            mismatch: if closest.residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { closest.mismatch },
            slope_a: closest.slope_a,
            slope_b: closest.slope_b,
        };
        self.scale_tangents(a, b);
    }

    /// The same between an ellipsoid (A if `ball_is_a`) and a polytope or cylinder.
    fn evaluate_part(&mut self, a: &Placed<'_>, b: &Placed<'_>, ball_is_a: bool) {
        let start = &self.geometry.normal;
        let (feature, Solved { mut point, slope: [mut slope_a, mut slope_b], mismatch, residual }) =
            if ball_is_a {
                nearest_feature(b, a, self.feature, &-start)
            } else {
                nearest_feature(a, b, self.feature, start)
            };
        if ball_is_a {
            point = point.swapped();
            (slope_a, slope_b) = (slope_b, slope_a);
        }
        let (tangent_t, tangent_o) = self.frame_at(&point.normal, a.moved, b.moved);
        self.feature = feature;
        self.geometry = PairGeometry {
            normal: point.normal,
            tangent_t,
            tangent_o,
            arm_a: point.arm_a,
            arm_b: point.arm_b,
            gap: point.gap,
            alignment: 1.0,
            mismatch: if residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { mismatch },
            slope_a,
            slope_b,
        };
        self.scale_tangents(a.moved, b.moved);
        self.is_hidden = !(has_normal(a, &point.normal, &point.arm_a, SEAM_TILT)
            && has_normal(b, &-point.normal, &point.arm_b, SEAM_TILT));
    }

    /// Derivatives of what [`Self::evaluate_part`] found.
    pub(super) fn feature_tangent(&self, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
        let g = &self.geometry;
        let ball_is_a = matches!(a.model.shape, Shape::Ellipsoid { .. });
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

/// Both ellipsoids about A's centre of mass: differences of large world positions are taken once, here.
fn relative(a: &MovedPart, b: &MovedPart, way: &Vector3<f64>) -> (Ellipsoid<f64>, Ellipsoid<f64>) {
    let mut eb = b.ellipsoid;
    eb.center += way;
    (a.ellipsoid, eb)
}

/// The kernel's plane_gap with the height taken from world positions.
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
