//! Convex polygons of many corners: tests for points inside and for sides that may cross, without a test of
//! each side.

use nalgebra::Vector2;

/// Number of corners up to which a polygon is tested side by side.
pub const FEW_CORNERS: usize = 32;

/// Whether a point lies in a convex polygon that runs counter-clockwise (`turn` 1) or clockwise (−1), or
/// beyond one of its sides by no more than `tolerance` (m).
pub fn is_inside(polygon: &[Vector2<f64>], point: &Vector2<f64>, turn: f64, tolerance: f64) -> bool {
    let n = polygon.len();
    let holds = |i: usize| {
        let side = polygon[(i + 1) % n] - polygon[i % n];
        let within = turn * side.perp(&(point - polygon[i % n]));
        // Most points are on the inner side: their distance is not needed.
        within >= 0.0 || within >= -tolerance * side.norm()
    };
    if n <= FEW_CORNERS {
        return (0..n).all(holds);
    }
    // The point lies in a triangle of the fan about the first corner; the ray from that corner through the
    // point leaves the polygon through the outer side of that triangle.
    let first = polygon[0];
    let (mut low, mut high) = (1, n - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let is_left = turn * (polygon[middle] - first).perp(&(point - first)) >= 0.0;
        if is_left { low = middle } else { high = middle }
    }
    [0, n - 1, low + n - 1, low, low + 1].into_iter().all(holds)
}

/// Pairs of sides of two convex polygons (i of the first, j of the second, ascending) that may cross: their
/// extents along x overlap. Every vertical meets a convex polygon twice, so that they are few.
pub fn near_sides(first: &[Vector2<f64>], second: &[Vector2<f64>], near: &mut Vec<(usize, usize)>) {
    near.clear();
    if first.len().max(second.len()) <= FEW_CORNERS {
        near.extend((0..first.len()).flat_map(|i| (0..second.len()).map(move |j| (i, j))));
        return;
    }
    let spans = |polygon: &[Vector2<f64>]| {
        let n = polygon.len();
        let span = |i: usize| {
            let (x, y) = (polygon[i].x, polygon[(i + 1) % n].x);
            (x.min(y), x.max(y), i)
        };
        let mut all: Vec<(f64, f64, usize)> = (0..n).map(span).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        all
    };
    let (p, q) = (spans(first), spans(second));
    let mut active: [Vec<(f64, usize)>; 2] = [Vec::new(), Vec::new()];
    let (mut i, mut j) = (0, 0);
    while i < p.len() || j < q.len() {
        let takes_p = j == q.len() || i < p.len() && p[i].0 <= q[j].0;
        let (own, (low, high, side)) = if takes_p { (0, p[i]) } else { (1, q[j]) };
        if takes_p {
            i += 1
        } else {
            j += 1
        }
        active.iter_mut().for_each(|list| list.retain(|open| open.0 >= low));
        for &(_, other) in &active[1 - own] {
            near.push(if takes_p { (side, other) } else { (other, side) });
        }
        active[own].push((high, side));
    }
    near.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    fn polygon(n: usize, centre: Vector2<f64>, radius: f64, turn: f64) -> Vec<Vector2<f64>> {
        let corner = |k: usize| {
            let (s, c) = (turn * std::f64::consts::TAU * (k as f64 + 0.3) / n as f64).sin_cos();
            centre + Vector2::new(c, 0.7 * s) * radius
        };
        (0..n).map(corner).collect()
    }

    #[test]
    fn points_inside_are_those_inside_all_sides() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(1);
        for turn in [1.0, -1.0] {
            let polygons = [301, 5].map(|n| polygon(n, Vector2::new(0.1, 0.2), 1.0, turn));
            for p in polygons.iter().cycle().take(8000) {
                let at = Vector2::new(random.random_range(-1.2..1.3), random.random_range(-1.0..1.2));
                let all = (0..p.len()).all(|i| {
                    let side = p[(i + 1) % p.len()] - p[i];
                    turn * side.perp(&(at - p[i])) >= -1e-3 * side.norm()
                });
                assert_eq!(is_inside(p, &at, turn, 1e-3), all, "{at}");
            }
        }
    }

    #[test]
    fn sides_that_cross_are_among_those_near() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(2);
        let mut near = Vec::new();
        for case in 0..40 {
            let centre = Vector2::new(random.random_range(-1.5..1.5), random.random_range(-1.0..1.0));
            let (p, q) = (polygon(40 + case, Vector2::zeros(), 1.0, 1.0), polygon(200, centre, 0.8, -1.0));
            near_sides(&p, &q, &mut near);
            assert!(near.len() < 8 * (p.len() + q.len()), "{}", near.len());
            for (i, j) in (0..p.len()).flat_map(|i| (0..q.len()).map(move |j| (i, j))) {
                let (a, r) = (p[i], p[(i + 1) % p.len()] - p[i]);
                let (b, s) = (q[j], q[(j + 1) % q.len()] - q[j]);
                let area = r.perp(&s);
                let (at, along) = ((b - a).perp(&s) / area, (b - a).perp(&r) / area);
                let crosses = (0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&along);
                assert!(!crosses || near.binary_search(&(i, j)).is_ok(), "case {case}: {i} {j}");
            }
        }
    }
}
