//! Corners moved into the planes of the faces they belong to.
//!
//! Points of a face lie in one plane to within the tolerance of the hull only. A body that stands on such a
//! face would stand on a plane that none of its own corners lies in. So the corners are moved, all together
//! and as little as possible, Σ |d_i|² → min, until every face is planar to rounding: with n the normal of a
//! face and P the projection on the heights that no plane explains (the orthogonal complement of 1, x and y
//! over its corners),
//! ```text
//! C(v) = P (n·v_i) = 0 for every face of more than three corners,     d = −Jᵀ (J Jᵀ)⁺ C
//! ```
//! which is Newton's method; J Jᵀ is never formed (conjugate gradients). Triangles ask for nothing.

use crate::polytope::area_vector;
use nalgebra::Vector3;

/// Corners this far off the plane of their face (of the radius) are in it: rounding of coordinates and of
/// sums of a few products.
const IN_PLANE: f64 = 16.0 * f64::EPSILON;
/// Newton's method squares the rest, which is at most 1e-7 of the radius at the start.
const MAX_ROUNDS: usize = 6;
/// Iterations of conjugate gradients in one round: planes that enclose an angle α ask for about 1/α.
const MAX_ITERATIONS: usize = 1000;
/// The part of the right side that conjugate gradients may leave.
const REDUCTION: f64 = 1e-9;

/// A face of more than three corners as a condition on them.
struct Plane<'a> {
    cycle: &'a [usize],
    normal: Vector3<f64>,
    /// Orthonormal over the corners: the heights of planes over this one.
    basis: [Vec<f64>; 3],
    /// Heights of the corners that no plane explains (m).
    heights: Vec<f64>,
}

impl<'a> Plane<'a> {
    fn new(points: &[Vector3<f64>], cycle: &'a [usize]) -> Option<Self> {
        let normal = area_vector(points, cycle).try_normalize(0.0)?;
        let middle = cycle.iter().map(|i| points[*i]).sum::<Vector3<f64>>() / cycle.len() as f64;
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let second = normal.cross(&first);
        let along = |axis: Vector3<f64>| cycle.iter().map(|i| axis.dot(&(points[*i] - middle))).collect();
        let mut basis: [Vec<f64>; 3] = [vec![1.0; cycle.len()], along(first), along(second)];
        for k in 0..3 {
            // Twice, as the first pass leaves rounding of the components that it takes away.
            for _ in 0..2 {
                for l in 0..k {
                    let (known, rest) = basis.split_at_mut(k);
                    take_away(&known[l], &mut rest[0]);
                }
            }
            let length = dot(&basis[k], &basis[k]).sqrt();
            basis[k].iter_mut().for_each(|x| *x /= length);
        }
        let mut plane = Self { cycle, normal, basis, heights: along(normal) };
        plane.unexplained_heights();
        Some(plane)
    }

    fn unexplained_heights(&mut self) {
        let Self { basis, heights, .. } = self;
        for _ in 0..2 {
            basis.iter().for_each(|known| take_away(known, heights));
        }
    }

    fn unexplained(&self, values: &mut [f64]) {
        self.basis.iter().for_each(|known| take_away(known, values));
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Takes the component along a unit vector out of another vector.
fn take_away(unit: &[f64], from: &mut [f64]) {
    let projection = dot(unit, from);
    from.iter_mut().zip(unit).for_each(|(x, u)| *x -= projection * u);
}

/// Moves the points into the planes of the cycles through them. Returns how far one moved at most (m), or
/// None if the planes do not allow it. Points in the planes to rounding stay as they are, bit for bit.
pub(super) fn flatten(points: &mut [Vector3<f64>], cycles: &[Vec<usize>], radius: f64) -> Option<f64> {
    let (mut moved, before) = (0.0_f64, points.to_vec());
    for _ in 0..MAX_ROUNDS {
        let faces = cycles.iter().filter(|cycle| cycle.len() > 3);
        let planes: Vec<Plane<'_>> = faces.map(|cycle| Plane::new(points, cycle)).collect::<Option<_>>()?;
        let highest = planes.iter().flat_map(|plane| &plane.heights).fold(0.0_f64, |h, x| h.max(x.abs()));
        if highest <= IN_PLANE * radius {
            return Some(moved);
        }
        for (point, way) in points.iter_mut().zip(least_ways(&planes, before.len())) {
            *point += way;
        }
        moved = points.iter().zip(&before).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max);
    }
    None
}

/// The smallest ways that take the heights of all planes away, to first order.
fn least_ways(planes: &[Plane<'_>], n_points: usize) -> Vec<Vector3<f64>> {
    let n = planes.iter().map(|plane| plane.heights.len()).sum();
    let ways = |y: &[f64]| {
        let mut ways = vec![Vector3::zeros(); n_points];
        let mut at = 0;
        for plane in planes {
            for i in plane.cycle {
                ways[*i] += plane.normal * y[at];
                at += 1;
            }
        }
        ways
    };
    let rise = |ways: &[Vector3<f64>], out: &mut [f64]| {
        let mut at = 0;
        for plane in planes {
            let own = &mut out[at..at + plane.cycle.len()];
            own.iter_mut().zip(plane.cycle).for_each(|(x, i)| *x = plane.normal.dot(&ways[*i]));
            plane.unexplained(own);
            at += plane.cycle.len();
        }
    };
    let mut y = vec![0.0; n];
    let mut rest: Vec<f64> = planes.iter().flat_map(|plane| plane.heights.iter().map(|h| -h)).collect();
    let (mut along, mut raised) = (rest.clone(), vec![0.0; n]);
    let mut size = dot(&rest, &rest);
    let enough = size * REDUCTION * REDUCTION;
    for _ in 0..MAX_ITERATIONS {
        rise(&ways(&along), &mut raised);
        let curvature = dot(&along, &raised);
        if curvature <= 0.0 || size <= enough {
            break;
        }
        let step = size / curvature;
        for k in 0..n {
            y[k] += step * along[k];
            rest[k] -= step * raised[k];
        }
        let next = dot(&rest, &rest);
        for k in 0..n {
            along[k] = rest[k] + next / size * along[k];
        }
        size = next;
    }
    ways(&y)
}
