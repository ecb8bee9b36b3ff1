//! Nearest point of a pair without load.

use crate::contact::pair::Pair;
use crate::contact::part_model::MovedPart;
use crate::contact::point::ContactPoint;
use nalgebra::Vector3;

impl Pair {
    /// Returns the pair with its equivalent contact point near both parts, where it carries no load and the
    /// mean of its contact points lies beside them: edges that hardly lean against each other cross far out.
    /// The point is the mean of those contact points that are near, or else the nearest place of the ball
    /// that holds the smaller part. None: it is near already.
    pub fn recentred(&self, a: &MovedPart, b: &MovedPart) -> Option<Self> {
        let manifold = self.manifold.as_deref()?;
        let is_loaded = manifold.points.iter().any(|point| point.impulse > 0.0);
        if is_loaded || !is_beside(&self.geometry.arm_a, &self.geometry.arm_b, a, b) {
            return None;
        }
        let is_near = |point: &&ContactPoint| {
            point.exerts() && !is_beside(&point.geometry.arm_a, &point.geometry.arm_b, a, b)
        };
        let near = || manifold.points.iter().filter(is_near);
        let n_near = near().count();
        let mut pair = self.clone();
        let arms = &mut pair.geometry;
        if n_near > 0 {
            arms.arm_a = near().map(|point| point.geometry.arm_a).sum::<Vector3<f64>>() / n_near as f64;
            arms.arm_b = near().map(|point| point.geometry.arm_b).sum::<Vector3<f64>>() / n_near as f64;
        } else {
            let is_a_smaller = a.ball_radius() < b.ball_radius();
            let back = if is_a_smaller { a.way_back(&arms.arm_a) } else { b.way_back(&arms.arm_b) };
            arms.arm_a += back;
            arms.arm_b += back;
        }
        Some(pair)
    }
}

/// Whether a point, given from the centres of mass, is outside of a ball that holds a part.
fn is_beside(arm_a: &Vector3<f64>, arm_b: &Vector3<f64>, a: &MovedPart, b: &MovedPart) -> bool {
    a.way_back(arm_a) != Vector3::zeros() || b.way_back(arm_b) != Vector3::zeros()
}
