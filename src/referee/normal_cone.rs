//! Test of a recorded contact point and normal: whether the point is on a body, and the normal in the body's
//! normal cone at the point.
//!
//! A body is { x : f_i(x) ≤ 0 } with |∇f_i| = 1 on the surface: one f for an ellipsoid, a capsule, a
//! half-space or a bore, one for each face of a polytope, three for a cylinder (side and caps). At a point
//! with active constraints I (f_i ≈ 0) the normal cone is { Σ l_i ∇f_i : l_i ≥ 0, i ∈ I }. The multipliers l
//! of a normal n come from non-negative least squares; the rest, |n − Σ l_i ∇f_i|, is the distance of n from
//! the cone (rad, while small).

use super::placed::{PlacedCylinder, PlacedShape};
use nalgebra::{Matrix3, Vector3};

/// Least room (of the body's size) that an inactive constraint leaves.
const LEAST_ROOM: f64 = 1e-3;

/// Multipliers and gains below this are rounding: directions are unit vectors.
const SMALLEST_GAIN: f64 = 1e-15;

/// Singular values below this count as zero: generators that are nearly parallel have one multiplier in
/// common.
const RANK: f64 = 1e-12;

/// Newton steps to a point on at most three constraints: one is enough for planes.
const FOOT_ROUNDS: usize = 3;

/// A support point Q n/√(nᵀ Q n) of an ellipsoid is known to this many ε a²/c (a the largest, c the smallest
/// semi-axis): the entries of Q = R diag(a²) Rᵀ are sums of three products of up to a², and so is each
/// component of Q n, which is divided by no less than c. Each product and sum rounds by ε/2: (3 + 3) ε a²
/// over two, in three components.
const SUPPORT_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Findings on a point and a normal against a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointCheck {
    /// Signed distance max f_i of the point (m): 0 on the surface, < 0 inside.
    pub distance: f64,
    /// Tilt |n − Σ l_i ∇f_i| for the best l ≥ 0. Of a polytope or a cylinder 0 also where a shift of the
    /// surfaces by `slack` puts n into the cone (h(n) − n·x at most twice the slack).
    pub tilt: f64,
    /// Tilt that a shift of the surfaces by `slack` explains: the curvature of the active constraints, and
    /// for flat ones the distance to the next constraint, at which the touching region ends at the latest.
    pub explained: f64,
}

/// One constraint at a point.
#[derive(Debug, Clone, Copy)]
struct Constraint {
    value: f64,
    gradient: Vector3<f64>,
    curvature: f64,
}

/// Judges `point` and the outer normal `n` (unit) against a body of the given size (m); places are known to
/// `slack` (m).
pub fn check_point(
    placed: &PlacedShape,
    point: &Vector3<f64>,
    n: &Vector3<f64>,
    slack: f64,
    size: f64,
) -> PointCheck {
    let slack = match placed {
        PlacedShape::Ellipsoid(e) => slack + SUPPORT_ROUNDING * e.semi_axes.max().powi(2) / e.semi_axes.min(),
        _ => slack,
    };
    let at = |i: usize| constraint(placed, point, i);
    let count = count_of(placed);
    let mut distance = f64::NEG_INFINITY;
    for i in 0..count {
        let value = at(i).value;
        if value.is_nan() || value > distance {
            distance = value;
        }
    }
    let threshold = distance.min(0.0) - 2.0 * slack;
    let active = |i: usize| Some(at(i)).filter(|c| c.value >= threshold);
    let (mut curvature, mut room) = (0.0_f64, f64::INFINITY);
    for i in 0..count {
        match active(i) {
            Some(c) => curvature = curvature.max(c.curvature),
            None => room = room.min(-at(i).value),
        }
    }
    let tilt = match beyond(placed, point, n) {
        Some((height, across)) if height <= 2.0 * slack => across,
        _ => nearest_in_cone(n, count, |i| active(i).map(|c| c.gradient)).1,
    };
    let room = if count == 1 { f64::INFINITY } else { room.max(LEAST_ROOM * size) };
    PointCheck { distance, tilt, explained: slack * (curvature + 2.0 / room) }
}

/// Number of constraints that make up a body.
fn count_of(placed: &PlacedShape) -> usize {
    match placed {
        PlacedShape::Ellipsoid(_)
        | PlacedShape::Capsule(_)
        | PlacedShape::HalfSpace { .. }
        | PlacedShape::Bore(_) => 1,
        PlacedShape::Polytope(p) => p.normals.len(),
        PlacedShape::Cylinder(_) => 3,
    }
}

/// Gradients of the constraints of a body on which a point lies, to within `slack` (m).
pub fn gradients_at(placed: &PlacedShape, point: &Vector3<f64>, slack: f64) -> Vec<Vector3<f64>> {
    let constraints = (0..count_of(placed)).map(|i| constraint(placed, point, i));
    constraints.filter(|c| c.value.abs() <= 2.0 * slack).map(|c| c.gradient).collect()
}

/// Signed distance max f_i (m) of a point from a body: exact on the surface, < 0 inside.
pub fn distance(placed: &PlacedShape, point: &Vector3<f64>) -> f64 {
    (0..count_of(placed)).map(|i| constraint(placed, point, i).value).fold(f64::NEG_INFINITY, f64::max)
}

/// Finds the point of a body with the outer normal `n`, to within the angle `tilt` (rad), that is nearest to
/// `point`, on the face, edge or corner within `slack` (m) of it.
pub fn foot(
    placed: &PlacedShape,
    (point, n): (&Vector3<f64>, &Vector3<f64>),
    slack: f64,
    tilt: f64,
) -> Vector3<f64> {
    let count = count_of(placed);
    let at = |i: usize, point: &Vector3<f64>| constraint(placed, point, i);
    let highest = (0..count).map(|i| at(i, point).value).fold(f64::NEG_INFINITY, f64::max);
    let active = |i: usize| Some(at(i, point)).filter(|c| c.value >= highest.min(0.0) - 2.0 * slack);
    let (made_of, _) = nearest_in_cone(n, count, |i| active(i).map(|c| c.gradient));
    let of_normal = made_of.into_iter().filter(|(i, l)| *i < count && *l > tilt).map(|(i, _)| i);
    let of_normal: Vec<usize> = of_normal.collect();
    let mut foot = *point;
    for _ in 0..FOOT_ROUNDS {
        let found: Vec<Constraint> = of_normal.iter().map(|i| at(*i, &foot)).collect();
        let mut rows = Matrix3::zeros();
        found.iter().enumerate().for_each(|(k, c)| rows.set_row(k, &c.gradient.transpose()));
        let heights = Vector3::from_fn(|k, _| found.get(k).map_or(0.0, |c| c.value));
        foot -= rows.svd(true, true).solve(&heights, RANK).unwrap_or_default();
    }
    foot
}

/// Distance (m) by which the supporting plane of normal n passes beyond the point, h(n) − n·x = min { Σ l_i
/// |f_i(x)| : Σ l_i ∇f_i = n, l ≥ 0 }: within ε of the surface exactly the normals with h(n) − n·x ≤ ε belong
/// to the ε-normal cone (the ε-subdifferential of the body's indicator). A millionth of a radian at a
/// billionth of a metre from an edge is no fault, however narrow the touching region. The second number is
/// the part of n that no constraint of a cylinder at this point can make up: its side has one normal at a
/// point, as has that of a capsule. None for smooth bodies and the ends of a capsule, where a normal belongs
/// to each point.
fn beyond(placed: &PlacedShape, point: &Vector3<f64>, n: &Vector3<f64>) -> Option<(f64, f64)> {
    match placed {
        PlacedShape::Ellipsoid(_) | PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => None,
        PlacedShape::Polytope(p) => Some((p.support_width(n) - n.dot(&(point - p.center)), 0.0)),
        PlacedShape::Cylinder(c) => {
            let (in_plane, across) = beside(c, &(point - c.center), n)?;
            Some((placed.support_width(&in_plane) - in_plane.dot(&(point - c.center)), across))
        }
        PlacedShape::Capsule(c) => {
            let x = point - c.center;
            let (in_plane, across) = beside(c, &x, n).filter(|_| c.axis.dot(&x).abs() <= c.half_length)?;
            Some((placed.support_width(&in_plane) - in_plane.dot(&x), across))
        }
    }
}

/// The part of n in the plane of the axis and of a place x about the centre, and the length of the rest; None
/// on the axis.
fn beside(c: &PlacedCylinder, x: &Vector3<f64>, n: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
    let out = (x - c.axis * c.axis.dot(x)).try_normalize(f64::MIN_POSITIVE)?;
    let sideways = c.axis.cross(&out);
    let across = n.dot(&sideways);
    Some((n - sideways * across, across.abs()))
}

fn constraint(placed: &PlacedShape, point: &Vector3<f64>, i: usize) -> Constraint {
    match placed {
        PlacedShape::Ellipsoid(e) => {
            let surface = e.surface_at(point);
            // The largest normal curvature, max a / (min a)² (1/m).
            let curvature = e.semi_axes.max() / e.semi_axes.min().powi(2);
            Constraint { value: surface.distance, gradient: surface.normal, curvature }
        }
        PlacedShape::Bore(bore) => {
            let x = point - bore.center;
            let across = x - bore.axis * bore.axis.dot(&x);
            let far = across.norm();
            let gradient = -across.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
            Constraint { value: bore.radius - far, gradient, curvature: 1.0 / bore.radius }
        }
        PlacedShape::HalfSpace { normal, offset } => {
            Constraint { value: normal.dot(point) - offset, gradient: *normal, curvature: 0.0 }
        }
        PlacedShape::Polytope(p) => Constraint {
            value: p.normals[i].dot(&(point - p.center)) - p.shape.faces[i].offset,
            gradient: p.normals[i],
            curvature: 0.0,
        },
        PlacedShape::Cylinder(c) => cylinder_constraint(c, &(point - c.center), i),
        PlacedShape::Capsule(c) => {
            let x = point - c.center;
            let out = x - c.axis * c.axis.dot(&x).clamp(-c.half_length, c.half_length);
            let gradient = out.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
            Constraint { value: out.norm() - c.radius, gradient, curvature: 1.0 / c.radius }
        }
    }
}

/// Constraint i of a cylinder: side, upper and lower cap; `x` is about the centre.
fn cylinder_constraint(c: &PlacedCylinder, x: &Vector3<f64>, i: usize) -> Constraint {
    let along = x.dot(&c.axis);
    if i == 0 {
        let out = x - c.axis * along;
        let distance = out.norm();
        let gradient = out.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
        return Constraint { value: distance - c.radius, gradient, curvature: 1.0 / c.radius };
    }
    let up = if i == 1 { 1.0 } else { -1.0 };
    Constraint { value: up * along - c.half_length, gradient: c.axis * up, curvature: 0.0 }
}

/// Finds the multipliers l ≥ 0 of at most three generators with the smallest |n − Σ l_i g_i|, and that length
/// (Lawson and Hanson's active-set method; more than three are never needed in three dimensions).
/// `generator(i)` for i < count is None where a generator is missing.
pub fn nearest_in_cone(
    n: &Vector3<f64>,
    count: usize,
    generator: impl Fn(usize) -> Option<Vector3<f64>>,
) -> ([(usize, f64); 3], f64) {
    let mut used = [(usize::MAX, 0.0); 3];
    let column = |(i, _): (usize, f64)| {
        if i == usize::MAX { Vector3::zeros() } else { generator(i).unwrap_or_default() }
    };
    let mut rest = *n;
    // Each round adds one more generator; the residual falls, so that no set comes twice.
    for _ in 0..4 * count + 12 {
        let gain = |i: usize| generator(i).map_or(f64::NEG_INFINITY, |g| g.dot(&rest));
        let best = (0..count).max_by(|i, j| gain(*i).total_cmp(&gain(*j)));
        let Some(best) = best.filter(|i| gain(*i) > SMALLEST_GAIN && used.iter().all(|u| u.0 != *i)) else {
            break;
        };
        let Some(free) = used.iter_mut().find(|u| u.0 == usize::MAX) else { break };
        *free = (best, 0.0);
        // The least-squares solution on the set is approached; generators whose multiplier would be negative
        // leave on the way.
        loop {
            let taken = used.map(|u| u.0 != usize::MAX);
            let columns = used.map(column);
            let full = match taken {
                // Most points are inside one face, and of one generator the multiplier is plain.
                [true, false, false] => {
                    Vector3::x() * (columns[0].dot(n) / columns[0].norm_squared().max(RANK * RANK))
                }
                _ => Matrix3::from_columns(&columns).svd(true, true).solve(n, RANK).unwrap_or_default(),
            };
            if (0..3).all(|k| !taken[k] || full[k] > 0.0) {
                (0..3).for_each(|k| used[k].1 = if taken[k] { full[k] } else { 0.0 });
                break;
            }
            let part = |k: usize| used[k].1 / (used[k].1 - full[k]).max(f64::MIN_POSITIVE);
            let leaving = (0..3).filter(|k| taken[*k] && full[*k] <= 0.0);
            let way = leaving.map(part).fold(1.0, f64::min);
            for k in 0..3 {
                used[k].1 += way * (full[k] - used[k].1);
                if taken[k] && used[k].1 <= SMALLEST_GAIN {
                    used[k] = (usize::MAX, 0.0);
                }
            }
        }
        let left = n - used.iter().map(|u| column(*u) * u.1).sum::<Vector3<f64>>();
        if left.norm() >= rest.norm() {
            break;
        }
        rest = left;
    }
    (used, rest.norm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use signorini_geometry::{Polytope, Pose, Shape};

    type V = Vector3<f64>;

    /// Oracle: the nearest point over all subsets of at most three generators.
    fn by_subsets(n: &V, generators: &[V]) -> f64 {
        let m = generators.len();
        let mut best = n.norm();
        for set in 1usize..1 << m {
            let columns: Vec<V> = (0..m).filter(|i| set >> i & 1 == 1).map(|i| generators[i]).collect();
            if columns.len() > 3 {
                continue;
            }
            let matrix = nalgebra::DMatrix::from_fn(3, columns.len(), |i, j| columns[j][i]);
            let right = nalgebra::DVector::from_column_slice(n.as_slice());
            let l = matrix.clone().svd(true, true).solve(&right, 1e-12).expect("solved");
            if l.iter().all(|x| *x >= 0.0) {
                best = best.min((matrix * l - right).norm());
            }
        }
        best
    }

    #[test]
    fn multipliers_agree_with_all_subsets() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        for case in 0..400 {
            let mut unit = || V::from_fn(|_, _| random.random_range(-1.0..1.0)).normalize();
            let n = unit();
            let mut generators: Vec<V> = (0..1 + case % 7).map(|_| unit()).collect();
            if case % 3 == 0 {
                // The cone is narrow around n, as at an obtuse corner.
                generators.iter_mut().for_each(|g| *g = (n + *g * 0.1).normalize());
            }
            let (used, found) = nearest_in_cone(&n, generators.len(), |i| Some(generators[i]));
            let exact = by_subsets(&n, &generators);
            assert!((found - exact).abs() < 1e-12, "case {case}: {found} against {exact}");
            assert!(used.iter().all(|u| u.1 >= 0.0));
        }
    }

    #[test]
    fn boxes_and_cylinders_know_their_normals() {
        let at = |shape: Shape| PlacedShape::new(&shape, &Pose::identity(), &Pose::identity());
        let cube = at(Shape::Polytope(Polytope::box_(V::repeat(0.5)).into()));
        let can = at(Shape::Cylinder { radius: 0.5, half_length: 1.0 });
        let d = 0.5f64.sqrt();
        let cases = [
            (&cube, V::new(0.1, 0.2, 0.5), V::z(), 0.0, 0.0), // inside a face
            (&cube, V::new(0.1, 0.2, 0.6), V::z(), 0.1, 0.0), // above it
            (&cube, V::new(0.1, 0.5, 0.5), V::new(0.0, d, d), 0.0, 0.0), // an edge
            (&cube, V::new(0.5, 0.5, 0.5), V::repeat(1.0 / 3f64.sqrt()), 0.0, 0.0), // a corner
            (&cube, V::new(0.1, 0.5, 0.5), V::new(0.6, 0.8, 0.0), 0.0, 0.6), // an edge, across it
            (&cube, V::new(0.1, 0.2, 0.5), V::new(0.6, 0.0, 0.8), 0.0, 0.6), // a face, slanted
            (&cube, V::new(0.1, 0.2, 0.5), -V::z(), 0.0, 1.0), // inwards
            (&can, V::new(0.3, 0.4, 0.2), V::new(0.6, 0.8, 0.0), 0.0, 0.0), // the side
            (&can, V::new(0.3, 0.4, 1.0), V::new(0.36, 0.48, 0.8), 0.0, 0.0), // the rim
            (&can, V::new(0.1, 0.1, -1.0), -V::z(), 0.0, 0.0), // a cap
            (&can, V::new(0.3, 0.4, 0.2), V::z(), 0.0, 1.0),  // the side, along it
        ];
        for (placed, point, n, distance, tilt) in cases {
            let found = check_point(placed, &point, &n, 1e-12, 0.5);
            assert!(
                (found.distance - distance).abs() < 1e-12 && (found.tilt - tilt).abs() < 1e-12,
                "{point} {found:?}"
            );
            assert!(found.explained < 1e-8);
        }
    }

    #[test]
    fn a_tilt_that_lifts_the_point_by_less_than_the_slack_is_none() {
        let at = |shape: Shape| PlacedShape::new(&shape, &Pose::identity(), &Pose::identity());
        let cube = at(Shape::Polytope(Polytope::box_(V::repeat(0.5)).into()));
        let can = at(Shape::Cylinder { radius: 0.5, half_length: 1.0 });
        let (tilt, slack) = (1e-5f64, 1e-12);
        let tilted = |x: f64| V::new(x * tilt.sin(), 0.0, tilt.cos());
        // A nanometre from the edge the supporting plane passes 1e-14 m beyond the point, a micrometre from
        // it 1e-11 m.
        let cases = [
            (&cube, V::new(0.5 - 1e-9, 0.1, 0.5), tilted(1.0), 0.0),
            (&cube, V::new(0.5 - 1e-6, 0.1, 0.5), tilted(1.0), tilt),
            (&cube, V::new(0.5 - 1e-9, 0.1, 0.5), tilted(-1.0), tilt),
            (&can, V::new(0.5 - 1e-9, 0.0, 1.0), tilted(1.0), 0.0),
            (&can, V::new(0.5 - 1e-6, 0.0, 1.0), tilted(1.0), tilt),
            (&can, V::new(0.0, 0.5 - 1e-9, 1.0), tilted(1.0), tilt),
        ];
        for (case, (placed, point, n, expected)) in cases.into_iter().enumerate() {
            let found = check_point(placed, &point, &n, slack, 0.5).tilt;
            assert!((found - expected).abs() < 1e-9, "case {case}: {found}");
        }
    }
}
