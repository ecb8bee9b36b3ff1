//! The point of a convex body that is farthest from an axis, found from support points alone: what a bore
//! leaves free of the body.
//!
//! The distance of x from the axis is max m·x over the unit vectors m across it, so that the farthest point
//! makes f(φ) = m(φ)·x(m(φ)) largest, with the support point x(m) of the body and f′ = t·x, t = dm/dφ.

use crate::Shape;
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Directions looked at before the search.
const LOOKS: usize = 64;
/// First and longest step of a climb (rad), and the factor between steps.
const FIRST_STEP: f64 = 1e-7;
const LONGEST_STEP: f64 = 0.1;
const LONGER: f64 = 4.0;
/// Halvings of the last step of a climb.
const HALVINGS: usize = 56;

/// Number of points of a shape that may each touch a bore: one of a ball, two of another ellipsoid, two of
/// each rim of a cylinder, one of each end of a capsule, the corners of a polytope.
pub fn corners_in_bore(shape: &Shape) -> usize {
    match shape {
        Shape::Ellipsoid { semi_axes } if semi_axes.min() == semi_axes.max() => 1,
        Shape::Ellipsoid { .. } | Shape::Capsule { .. } => 2,
        Shape::Cylinder { .. } => 4,
        Shape::Polytope(polytope) => polytope.vertices.len(),
        Shape::HalfSpace { .. } | Shape::Bore { .. } => 0,
    }
}

/// Direction m across the unit `axis` in which a convex body is farthest from it, and how far (m). `support`
/// gives the body's support point along a direction, relative to a point of the axis (m). From `start` the
/// nearest direction that no other around it exceeds, else the best of all.
pub fn farthest(
    axis: &Vector3<f64>,
    start: Option<&Vector3<f64>>,
    support: impl Fn(&Vector3<f64>) -> Vector3<f64>,
) -> (Vector3<f64>, f64) {
    let pick = if axis.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    let first = axis.cross(&pick).normalize();
    let second = axis.cross(&first);
    let at = |angle: f64| first * angle.cos() + second * angle.sin();
    let reach = |angle: f64| {
        let m = at(angle);
        m.dot(&support(&m))
    };
    let slope = |angle: f64| axis.cross(&at(angle)).dot(&support(&at(angle)));
    let best = match start {
        Some(start) => climb(&slope, start.dot(&second).atan2(start.dot(&first))),
        None => {
            let step = TAU / LOOKS as f64;
            let seen: Vec<f64> = (0..LOOKS).map(|k| reach(step * k as f64)).collect();
            let is_top =
                |k: &usize| seen[*k] >= seen[(*k + 1) % LOOKS] && seen[*k] >= seen[(*k + LOOKS - 1) % LOOKS];
            let tops = (0..LOOKS).filter(is_top).map(|k| climb(&slope, step * k as f64));
            tops.max_by(|a, b| reach(*a).total_cmp(&reach(*b))).unwrap_or(0.0)
        }
    };
    (at(best), reach(best))
}

/// Angle at which the slope changes from rising to falling, on the side to which it rises.
fn climb(slope: &impl Fn(f64) -> f64, start: f64) -> f64 {
    let side = slope(start);
    if side == 0.0 || side.is_nan() {
        return start;
    }
    let (mut below, mut step) = (start, FIRST_STEP.copysign(side));
    let mut above = below + step;
    while slope(above) * side > 0.0 {
        below = above;
        step = (step * LONGER).clamp(-LONGEST_STEP, LONGEST_STEP);
        above = below + step;
        if (above - start).abs() > TAU {
            return start;
        }
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (below + above);
        if slope(middle) * side > 0.0 {
            below = middle;
        } else {
            above = middle;
        }
    }
    0.5 * (below + above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball, and the corners of a square about a place off the axis.
    #[test]
    fn balls_and_corners_are_as_far_as_they_are() {
        let axis = Vector3::new(0.0, 0.6, 0.8);
        let center = Vector3::new(0.3, 0.1, -0.2);
        let across = center - axis * axis.dot(&center);
        let (m, far) = farthest(&axis, None, |m| center + m * 0.25);
        assert!((far - across.norm() - 0.25).abs() < 1e-15, "{far}");
        assert!((m - across.normalize()).norm() < 1e-12);
        let corners: Vec<Vector3<f64>> =
            [(0.1, 0.1), (0.1, -0.1), (-0.1, 0.1), (-0.1, -0.1)].map(|(x, y)| Vector3::new(x, y, 0.7)).into();
        let support = |m: &Vector3<f64>| {
            let farther = |a: &&Vector3<f64>, b: &&Vector3<f64>| m.dot(a).total_cmp(&m.dot(b));
            corners.iter().max_by(farther).copied().unwrap_or_default()
        };
        let distance = |x: &Vector3<f64>| axis.cross(x).norm();
        let most = corners.iter().map(distance).fold(0.0, f64::max);
        assert!((farthest(&axis, None, support).1 - most).abs() < 1e-15);
        // From the side of each corner the climb ends at a corner beyond which nothing is.
        for corner in &corners {
            let (m, far) = farthest(&axis, Some(corner), support);
            assert!((far - distance(&support(&m))).abs() < 1e-14);
        }
    }
}
