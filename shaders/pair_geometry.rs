//! One smooth pair at a pose: closest points, contact frame, arms (theory §3.1).

use super::constants::{OPPOSITE, SHORT};
use super::grain::is_fading;
use super::smooth_pair::{Closest, Ellipsoid, Search, closest_points_with, tangents};
use super::types::{BodyState, PairGeometry, PairKey, PairState, six, symmetric, vector};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Closest point of an ellipsoid on a half-space with outer normal n; `height` is n·(centre of B's mass) less
/// the plane's offset.
pub fn plane_gap<T: Real>(n: &Vector3<T>, height: T, b: &Ellipsoid<T>) -> Closest<T> {
    let (h, s) = b.support(n);
    Closest {
        normal: *n,
        support_a: Vector3::zeros(),
        support_b: -s,
        slope_a: Matrix3::zeros(),
        slope_b: b.support_slope(h, &s),
        gap: height + n.dot(&b.center) - h,
        residual: T::zero(),
        mismatch: T::zero(),
    }
}

/// t carried from the plane of n0 to that of n by the smallest rotation.
pub fn carried<T: Real>(t: &Vector3<T>, n0: &Vector3<T>, n: &Vector3<T>) -> Vector3<T> {
    let sum = n0 + n;
    let cosine = T::one() + n0.dot(n);
    if cosine < T::of(OPPOSITE) {
        return tangents(n).0;
    }
    t - sum * (n.dot(t) / cosine)
}

/// First tangent of the frame at n. With isotropic friction, and where the friction direction is near the
/// normal: the frame of the start of the step, moved by the smallest rotation. Else the projection of the
/// direction fixed in its body.
fn frame<T: Real>(pair: &PairState<T>, key: &PairKey, n: &Vector3<T>) -> Vector3<T> {
    let direction = vector(&pair.direction);
    let t = if key.has(PairKey::DIRECTED) && !is_fading(&direction, n) {
        direction - n * n.dot(&direction)
    } else {
        carried(&vector(&pair.frame_tangent), &vector(&pair.frame_normal), n)
    };
    let length = t.norm();
    if length < T::of(SHORT) { tangents(n).0 } else { t / length }
}

/// Geometry of one pair, as the shader's thread computes it.
pub fn pair_geometry<T: Real>(
    bodies: [&BodyState<T>; 2],
    pair: &PairState<T>,
    key: &PairKey,
    search: &Search<T>,
) -> PairGeometry<T> {
    let start = vector(&pair.start);
    let offset = vector(&pair.offset);
    let [a, mut b] = bodies.map(|body| Ellipsoid {
        center: vector(&body.center),
        q: symmetric(&body.q),
        disc: None,
        root: None,
    });
    let center_b = b.center;
    let closest = if key.has(PairKey::PLANE) {
        plane_gap(&start, pair.height[0], &b)
    } else {
        b.center += offset;
        closest_points_with(&a, &b, &start, search)
    };
    let arm_b = center_b + closest.support_b;
    let arm_a = if key.has(PairKey::PLANE) {
        offset + arm_b - closest.normal * closest.gap
    } else {
        a.center + closest.support_a
    };
    let tangent = frame(pair, key, &closest.normal);
    PairGeometry {
        normal: closest.normal.into(),
        tangent: tangent.into(),
        arm_a: arm_a.into(),
        arm_b: arm_b.into(),
        gap: [closest.gap],
        mismatch: [closest.mismatch],
        residual: [closest.residual],
        slope_a: six(&closest.slope_a),
        slope_b: six(&closest.slope_b),
    }
}
