//! Of the many points of a manifold between faces of many corners, those that hold the bodies.
//!
//! Points between others along the outline bear nothing that these cannot. Which points are farthest out
//! depends on how the bodies lie; those that were kept before stay as long as they bear, and a corner that
//! comes to be the lowest is taken in where it does.

use crate::contact::tolerances::TOUCHING_GAP;
use nalgebra::Vector2;

/// Manifolds of more points are thinned out.
pub const MOST_POINTS: usize = 32;
/// Directions in which the farthest of the points that touch are kept…
const DIRECTIONS: usize = 16;
/// …and of all points.
const DIRECTIONS_ABOVE: usize = 4;
/// So many of the lowest points are kept.
const LOWEST: usize = 4;

/// Indices, ascending, of the points to keep. Points are given with their heights (m); `size` is a length of
/// the pair (m).
pub fn extreme_points(points: &[(Vector2<f64>, f64)], size: f64) -> Vec<usize> {
    let lowest = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let mut kept = Vec::with_capacity(DIRECTIONS + DIRECTIONS_ABOVE + LOWEST);
    for (count, limit) in [(DIRECTIONS, lowest + TOUCHING_GAP * size), (DIRECTIONS_ABOVE, f64::INFINITY)] {
        for k in 0..count {
            let (s, c) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            let reach = |i: &usize| points[*i].0.dot(&Vector2::new(c, s));
            let low = (0..points.len()).filter(|i| points[*i].1 <= limit);
            kept.extend(low.max_by(|i, j| reach(i).total_cmp(&reach(j))));
        }
    }
    let mut by_height: Vec<usize> = (0..points.len()).collect();
    by_height.sort_by(|i, j| points[*i].1.total_cmp(&points[*j].1));
    kept.extend(by_height.into_iter().take(LOWEST));
    kept.sort_unstable();
    kept.dedup();
    kept
}
