//! Lower bound of the gap of a candidate pair from one support evaluation along its normal of the last step:
//! far pairs are culled before closest points are searched.

use super::types::{BodyState, PairKey, PairState, symmetric, vector};
use crate::real::Real;
use nalgebra::Vector3;

fn reach<T: Real>(body: &BodyState<T>, n: &Vector3<T>) -> T {
    n.dot(&(symmetric(&body.q) * n)).sqrt()
}

/// n·(c_b − c_a) less the support widths of both bodies along n; n is `start` of the pair.
pub fn candidate_gap<T: Real>(bodies: [&BodyState<T>; 2], pair: &PairState<T>, key: &PairKey) -> T {
    let n = vector(&pair.start);
    let b = n.dot(&vector(&bodies[1].center)) - reach(bodies[1], &n);
    if key.has(PairKey::PLANE) {
        pair.height[0] + b
    } else {
        n.dot(&vector(&pair.offset)) + b - n.dot(&vector(&bodies[0].center)) - reach(bodies[0], &n)
    }
}
