//! Of the many points of a manifold between faces of many corners, those that hold the bodies.
//!
//! Points between others along the outline bear nothing that these cannot. Which points are farthest out
//! depends on how the bodies lie; those that were kept before stay as long as they bear, and a corner that
//! comes to be the lowest is taken in where it does.

use nalgebra::Vector2;

/// Manifolds of more points are thinned out.
pub const MOST_POINTS: usize = 32;
/// Directions in which the farthest point is kept: how the bodies lean makes no difference to these.
const DIRECTIONS: usize = 16;
/// So many of the lowest points are kept.
const LOWEST: usize = 3;

/// Indices, ascending, of the points to keep. Points are given with their heights (m).
pub fn extreme_points(points: &[(Vector2<f64>, f64)]) -> Vec<usize> {
    let mut kept = Vec::with_capacity(DIRECTIONS + LOWEST);
    for k in 0..DIRECTIONS {
        let (s, c) = (std::f64::consts::TAU * k as f64 / DIRECTIONS as f64).sin_cos();
        let reach = |i: &usize| points[*i].0.dot(&Vector2::new(c, s));
        kept.extend((0..points.len()).max_by(|i, j| reach(i).total_cmp(&reach(j))));
    }
    let mut by_height: Vec<usize> = (0..points.len()).collect();
    by_height.sort_by(|i, j| points[*i].1.total_cmp(&points[*j].1));
    kept.extend(by_height.into_iter().take(LOWEST));
    kept.sort_unstable();
    kept.dedup();
    kept
}
