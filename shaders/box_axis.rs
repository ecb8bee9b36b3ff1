//! The separating axis of two boxes: the one of largest gap among the faces of both and the pairs of edges.

use super::constants::{FAR, PREFERENCE};
use super::types::{BoxAxis, BoxPair, matrix, vector};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Edges whose cross product is shorter span no axis: 1e-9, or a thousand units of rounding.
pub fn parallel<T: Real>() -> T {
    let (exact, rounding) = (T::of(1e-9), T::default_epsilon() * T::of(1e3));
    if rounding > exact { rounding } else { exact }
}

/// A face of B, or a pair of edges, must separate better by this part of the boxes' size: [`PREFERENCE`], or
/// sixty-four units of rounding. With less, rounding would choose among faces of boxes that are aligned.
pub fn preference<T: Real>() -> T {
    let (exact, rounding) = (T::of(PREFERENCE), T::default_epsilon() * T::of(64.0));
    if rounding > exact { rounding } else { exact }
}

struct Boxes<T: Real> {
    offset: Vector3<T>,
    half: [Vector3<T>; 2],
    rotation: [Matrix3<T>; 2],
}

fn along<T: Real>(boxes: &Boxes<T>, best: &mut BoxAxis<T>, axis: usize, direction: &Vector3<T>, margin: T) {
    let length = direction.norm();
    if length < parallel::<T>() {
        return;
    }
    let unit = direction / length;
    let n = if unit.dot(&boxes.offset) < T::zero() { -unit } else { unit };
    let reach = |i: usize| boxes.rotation[i].tr_mul(&n).abs().dot(&boxes.half[i]);
    let gap = n.dot(&boxes.offset) - reach(0) - reach(1);
    if gap > best.gap[0] + margin {
        *best = BoxAxis { axis: [T::of(axis as f64)], gap: [gap], normal: n.into() };
    }
}

/// Axes 0 to 2 are A's faces, 3 to 5 B's, 6 + 3 i + j the edges i of A and j of B.
pub fn box_axis<T: Real>(pair: &BoxPair<T>) -> BoxAxis<T> {
    let boxes = Boxes {
        offset: vector(&pair.offset),
        half: [vector(&pair.half_a), vector(&pair.half_b)],
        rotation: [matrix(&pair.rotation_a), matrix(&pair.rotation_b)],
    };
    let size = boxes.half[0].norm() + boxes.half[1].norm();
    let column = |i: usize, k: usize| -> Vector3<T> { boxes.rotation[i].column(k).into() };
    let mut best = BoxAxis { axis: [-T::one()], gap: [size * T::of(FAR)], normal: [T::zero(); 3] };
    let preference = preference::<T>() * size;
    for k in 0..3 {
        along(&boxes, &mut best, k, &column(0, k), T::zero());
    }
    for k in 0..3 {
        along(&boxes, &mut best, 3 + k, &column(1, k), preference);
    }
    for i in 0..3 {
        for j in 0..3 {
            let direction = column(0, i).cross(&column(1, j));
            along(&boxes, &mut best, 6 + 3 * i + j, &direction, preference);
        }
    }
    best
}
