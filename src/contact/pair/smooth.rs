//! Closest points of a pair with an ellipsoid.

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

    /// Takes a smooth pair that overlaps back to the side of the start of the step, where it is less deep. An
    /// iterate may pass through a thin part, and features are followed from pose to pose: the pair would stay
    /// on the far side with the iterate back on the near one.
    pub(super) fn leave_far_side(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64) {
        let Some(start) = self.start_feature else { return };
        if start == self.feature || self.geometry.gap >= -MISSED_OVERLAP * size {
            return;
        }
        let found = (self.geometry, self.feature, self.is_hidden);
        (self.feature, self.geometry.normal) = (start, self.frame.0);
        self.evaluate(a, b);
        if self.geometry.gap <= found.0.gap {
            (self.geometry, self.feature, self.is_hidden) = found;
            self.scale_tangents(a.moved, b.moved);
        }
    }

    /// Evaluates closest points and frame of a smooth pair; warm-starts from the last normal.
    pub(super) fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        if !b.model.shape.is_ellipsoid() || !a.model.shape.is_ellipsoid() && a.moved.plane.is_none() {
            return self.evaluate_part(a, b, a.model.shape.is_ellipsoid());
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
            across: Vector3::zeros(),
            alignment: 1.0,
            mismatch: if closest.residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { closest.mismatch },
            slope_a: closest.slope_a,
            slope_b: closest.slope_b,
        };
        self.scale_tangents(a, b);
    }

    /// Evaluates closest points and frame between an ellipsoid (A if `ball_is_a`) and a polytope or cylinder.
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
            across: Vector3::zeros(),
            alignment: 1.0,
            mismatch: if residual <= CLOSEST_POINT_TOLERANCE { 0.0 } else { mismatch },
            slope_a,
            slope_b,
        };
        self.scale_tangents(a.moved, b.moved);
        self.is_hidden = !(has_normal(a, &point.normal, &point.arm_a, SEAM_TILT)
            && has_normal(b, &-point.normal, &point.arm_b, SEAM_TILT));
    }

    /// Derivatives of the geometry that [`Self::evaluate_part`] found.
    pub(super) fn feature_tangent(&self, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
        let g = &self.geometry;
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
        let plate = Shape::Polytope(Arc::new(Polytope::cuboid(Vector3::new(1.0, 1.0, 0.05))));
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
        pair.refresh([&under, &touching], search, None, loads, CheckLevel::None);
        assert_eq!((pair.feature, pair.geometry.normal), (near, Vector3::z()));
        assert!((pair.geometry.gap + 0.01).abs() < 1e-12, "{}", pair.geometry.gap);
    }

    fn flat_face_below(part: &Placed<'_>) -> Feature {
        let is_below = |face: &Feature| plane_of(*face, part).is_some_and(|(out, _)| out.z < -0.9);
        flat_faces(part).find(is_below).expect("a face below")
    }
}
