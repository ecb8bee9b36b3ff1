//! Selection of the points that hold the bodies from a manifold between faces of many corners.
//!
//! Points between others along the outline carry no load that the others cannot. Which points are farthest
//! out depends on the poses of the bodies; points kept before stay as long as they carry load, and a corner
//! that becomes the lowest is added when it does.

use nalgebra::Vector2;

/// Number of points above which a manifold is thinned out.
pub const MAX_POINTS: usize = 32;
/// Number of directions in which the farthest point is kept, however the bodies lean.
const DIRECTIONS: usize = 16;
/// Number of lowest points that are kept.
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
