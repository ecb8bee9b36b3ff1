//! Corners in single precision that enclose the same volume.
//!
//! A coordinate goes to the nearest number of single precision, or to the one on its other side where that
//! brings the volume closer: V is linear in each corner, and with the triangles (p, q, r) of the corner p
//! ```text
//! ∂V/∂p = ⅙ Σ q × r
//! ```

use super::facets::Facets;
use nalgebra::Vector3;

/// How often each coordinate is looked at: a few corners need more than once.
const PASSES: usize = 4;

/// Corners of closed facets in single precision (m).
pub fn rounded(facets: &Facets) -> Vec<[f32; 3]> {
    let mut corners: Vec<[f32; 3]> =
        facets.points.iter().map(|p| [p.x, p.y, p.z].map(|x| x as f32)).collect();
    let around = opposite_sides(facets);
    let wide = |corner: [f32; 3]| Vector3::from(corner.map(f64::from));
    let mut now = Facets {
        points: corners.iter().map(|corner| wide(*corner)).collect(),
        triangles: facets.triangles.clone(),
    };
    let mut excess = now.volume() - facets.volume();
    let n = corners.len();
    for (k, axis) in (0..3 * n * PASSES).map(|visit| (visit / 3 % n, visit % 3)) {
        let (from, exact) = (now.points[k], facets.points[k][axis]);
        let other = match (exact as f32, corners[k][axis]) {
            (near, taken) if near == taken => beyond(near, exact),
            (near, _) => near,
        };
        let products = around[k].iter().map(|[q, r]| (now.points[*q] - from).cross(&(now.points[*r] - from)));
        let rate = products.map(|product| product[axis]).sum::<f64>() / 6.0;
        let change = rate * (f64::from(other) - from[axis]);
        if (excess + change).abs() < excess.abs() {
            excess += change;
            corners[k][axis] = other;
            now.points[k][axis] = f64::from(other);
        }
    }
    corners
}

/// Sides of the triangles at each corner that lie opposite to it.
fn opposite_sides(facets: &Facets) -> Vec<Vec<[usize; 2]>> {
    let mut sides = vec![Vec::new(); facets.points.len()];
    for [a, b, c] in &facets.triangles {
        sides[*a].push([*b, *c]);
        sides[*b].push([*c, *a]);
        sides[*c].push([*a, *b]);
    }
    sides
}

/// Number of single precision on the other side of x than `near`, or x itself.
fn beyond(near: f32, x: f64) -> f32 {
    match f64::from(near) - x {
        above if above > 0.0 => near.next_down(),
        below if below < 0.0 => near.next_up(),
        _ => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate thirty times as wide as thick, turned and far away: the nearest corners change its volume by
    /// more than 1e-5. These change it by less than 1e-6, and are as near as single precision has them.
    #[test]
    fn a_thin_plate_keeps_its_volume() {
        let corner = |k: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { 0.0 });
            Vector3::new(0.7 + 0.01 * x + 0.003 * y, 0.3 - 0.004 * x + 0.011 * y, 0.9 + 3e-4 * z + 0.002 * x)
        };
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let facets = Facets { points: (0..8).map(corner).collect(), triangles };
        assert!(facets.is_closed());
        let error = |corners: Vec<[f32; 3]>| {
            let points = corners.iter().map(|c| Vector3::from(c.map(f64::from))).collect();
            Facets { points, ..facets.clone() }.volume() / facets.volume() - 1.0
        };
        let nearest = facets.points.iter().map(|p| [p.x, p.y, p.z].map(|x| x as f32)).collect();
        let kept = rounded(&facets);
        for (corner, exact) in kept.iter().zip(&facets.points) {
            assert!((0..3).all(|k| (f64::from(corner[k]) - exact[k]).abs() < f64::from(f32::EPSILON)));
        }
        let (before, after) = (error(nearest).abs(), error(kept).abs());
        assert!(before > 1e-5 && after < 1e-6, "{before} {after}");
    }
}
