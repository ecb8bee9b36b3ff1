//! Two pieces of surfaces, each an ellipsoid (a disc, a point) swept along at most two straight directions:
//! corner, edge, face, rim, side and cap against each other or against an ellipsoid, as one smooth contact
//! point (theory §3.9).
//!
//! A straight direction u of either piece holds the normal across itself, n·u = 0, and lets the contact point
//! slide by λ u. With a and b the supporting points of the round parts along n and −n, the contact point
//! solves
//! ```text
//! (I − n nᵀ)(b + Σ λ_b w − a − Σ λ_a u) = 0,   n·u = n·w = 0,   |n| = 1,     gap = n·(b − a)
//! ```
//! for n and λ. It is regular when the round parts curve in the directions that the straight ones leave open,
//! or the gap is not zero. Derivatives: with M = S_a + S_b + gap on the tangent plane and U the columns u, w,
//! ```text
//! M δn + U μ = P(δx_b − δx_a) + S_a(δθ_a × n) + S_b(δθ_b × n),   Uᵀ δn = −(U × n)ᵀ δθ,   δλ = ±μ
//! ```

use super::constants::{LARGEST_TURN, MOST_ITERATIONS};
use super::flat_point::PointGeometry;
use super::pair_tangent::{PairTangent, cross};
use super::smooth_pair::{Ellipsoid, closest_points, improves, tangents};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Axes that enclose a smaller sine are one.
const SAME_AXIS: f64 = 1e-14;
/// Circles whose centres are nearer to each other than this part of the lengths at hand have no direction
/// between them.
const SAME_CENTER: f64 = 1e-9;

/// A piece of a body's surface at a pose, world axes, about the body's centre of mass.
#[derive(Debug, Clone, Copy)]
pub struct Piece<T: Real> {
    /// The round part: Q of rank 3 for an ellipsoid, r²(I − u uᵀ) for a disc across u, 0 for a point.
    pub round: Ellipsoid<T>,
    /// Straight directions (unit), the first `n_straight` of them.
    pub straight: [Vector3<T>; 2],
    /// Number of straight directions: 0, 1 for an edge or the side of a cylinder, 2 for a face.
    pub n_straight: usize,
}

impl<T: Real> Piece<T> {
    /// A corner, or any point of the body.
    pub fn point(arm: Vector3<T>) -> Self {
        Self::round(Ellipsoid { center: arm, q: Matrix3::zeros(), disc: None, root: None })
    }

    /// An ellipsoid, or a disc.
    pub fn round(round: Ellipsoid<T>) -> Self {
        Self { round, straight: [Vector3::zeros(); 2], n_straight: 0 }
    }

    /// The edge of a disc of this radius about the unit axis u.
    pub fn disc(arm: Vector3<T>, u: &Vector3<T>, radius: T) -> Self {
        let q = (Matrix3::identity() - u * u.transpose()) * (radius * radius);
        Self::round(Ellipsoid { center: arm, q, disc: Some((*u, radius)), root: None })
    }

    /// This piece swept along one unit direction.
    pub fn along(self, u: &Vector3<T>) -> Self {
        Self { straight: [*u, Vector3::zeros()], n_straight: 1, ..self }
    }

    /// A plane through `arm` with unit normal n.
    pub fn plane(arm: Vector3<T>, n: &Vector3<T>) -> Self {
        let (t, o) = tangents(n);
        Self { straight: [t, o], n_straight: 2, ..Self::point(arm) }
    }
}

/// A solved contact point.
#[derive(Debug, Clone, Copy)]
pub struct Solved<T: Real> {
    /// Normal, arms and gap.
    pub point: PointGeometry<T>,
    /// S of either round part at the normal (m).
    pub slope: [Matrix3<T>; 2],
    /// Distance by which the points miss each other along the plane (m).
    pub mismatch: T,
    /// `mismatch` over the extent of the round parts.
    pub residual: T,
}

/// The straight directions of both pieces; at most two, and two not parallel.
fn directions<T: Real>(a: &Piece<T>, b: &Piece<T>) -> ([Vector3<T>; 2], usize) {
    let mut all = [Vector3::zeros(); 2];
    let both = a.straight[..a.n_straight].iter().chain(&b.straight[..b.n_straight]);
    let mut n = 0;
    for (slot, u) in all.iter_mut().zip(both) {
        *slot = *u;
        n += 1;
    }
    (all, n)
}

/// Solves the contact point from the normal `start`, on whose side a normal that the straight directions fix
/// is taken.
pub fn solve<T: Real>(
    a: &Piece<T>,
    b: &Piece<T>,
    offset: &Vector3<T>,
    start: &Vector3<T>,
    tolerance: T,
) -> Solved<T> {
    at_normal(a, b, offset, &common_normal(a, b, offset, start, tolerance))
}

/// The normal of [`solve`] alone.
pub fn common_normal<T: Real>(
    a: &Piece<T>,
    b: &Piece<T>,
    offset: &Vector3<T>,
    start: &Vector3<T>,
    tolerance: T,
) -> Vector3<T> {
    let (u, n_straight) = directions(a, b);
    if n_straight == 2 {
        let m = u[0].cross(&u[1]).normalize();
        return if m.dot(start) < T::zero() { -m } else { m };
    }
    let moved = Ellipsoid { center: offset + b.round.center, ..b.round };
    if n_straight == 1 {
        on_circle(&a.round, &moved, &u[0], start, tolerance)
    } else {
        closest_points(&a.round, &moved, start, tolerance).normal
    }
}

/// Gap of the round parts along a normal across all straight directions (m).
pub fn gap_along<T: Real>(a: &Piece<T>, b: &Piece<T>, offset: &Vector3<T>, n: &Vector3<T>) -> T {
    let apart = offset + b.round.center - a.round.center;
    n.dot(&apart) - a.round.support(n).0 - b.round.support(n).0
}

/// Contact point at a normal across all straight directions.
fn at_normal<T: Real>(a: &Piece<T>, b: &Piece<T>, offset: &Vector3<T>, n: &Vector3<T>) -> Solved<T> {
    let (ha, sa) = a.round.support(n);
    let (hb, sb) = b.round.support(n);
    let (mut arm_a, mut arm_b) = (a.round.center + sa, b.round.center - sb);
    let e = offset + arm_b - arm_a;
    let gap = n.dot(&e);
    let (u, n_straight) = directions(a, b);
    // e + Σ μ u = gap n in the span of the straight directions.
    let mut mu = [T::zero(); 2];
    if n_straight == 1 {
        mu[0] = -u[0].dot(&e);
    } else if n_straight == 2 {
        let c = u[0].dot(&u[1]);
        let (r0, r1, det) = (-u[0].dot(&e), -u[1].dot(&e), T::one() - c * c);
        mu = [(r0 - c * r1) / det, (r1 - c * r0) / det];
    }
    let mut rest = e - n * gap;
    for k in 0..n_straight {
        rest += u[k] * mu[k];
        if k < a.n_straight { arm_a -= u[k] * mu[k] } else { arm_b += u[k] * mu[k] }
    }
    let (mismatch, reach) = (rest.norm(), ha + hb);
    let residual = if mismatch > T::zero() && reach > T::zero() { mismatch / reach } else { T::zero() };
    Solved {
        point: PointGeometry { normal: *n, arm_a, arm_b, gap },
        slope: [a.round.support_slope(ha, &sa), b.round.support_slope(hb, &sb)],
        mismatch: if n_straight == 2 { T::zero() } else { mismatch },
        residual: if n_straight == 2 { T::zero() } else { residual },
    }
}

/// Seen along u: the radius of a round part that is a point or a disc across u.
fn circle_along<T: Real>(round: &Ellipsoid<T>, u: &Vector3<T>) -> Option<T> {
    match &round.disc {
        Some((axis, radius)) => (axis.cross(u).norm() <= T::of(SAME_AXIS)).then_some(*radius),
        None => (round.q == Matrix3::zeros()).then(T::zero),
    }
}

/// Largest gap over the normals across u. Two circles seen along u, as of sides, corners and edges that run
/// along u, face each other from centre to centre; for others by Newton from `start` with backtracking.
fn on_circle<T: Real>(
    a: &Ellipsoid<T>,
    b: &Ellipsoid<T>,
    u: &Vector3<T>,
    start: &Vector3<T>,
    tolerance: T,
) -> Vector3<T> {
    if let (Some(first), Some(second)) = (circle_along(a, u), circle_along(b, u)) {
        let apart = b.center - a.center;
        let flat = apart - u * u.dot(&apart);
        let flat = flat - u * u.dot(&flat);
        if flat.norm() > T::of(SAME_CENTER) * (first + second + apart.norm()) {
            return flat.normalize();
        }
    }
    let across = start - u * u.dot(start);
    let mut n = if across.norm() > T::of(1e-9) { across.normalize() } else { tangents(u).0 };
    let look = |n: &Vector3<T>| {
        let ((ha, sa), (hb, sb)) = (a.support(n), b.support(n));
        let e = b.center - a.center - sa - sb;
        let t = n.cross(u);
        let bend = t.dot(&((a.support_slope(ha, &sa) + b.support_slope(hb, &sb)) * t));
        (n.dot(&e), t.dot(&e), bend, ha + hb, e.norm() + sa.norm() + sb.norm())
    };
    let (mut gap, mut miss, mut bend, mut reach, mut extent) = look(&n);
    for _ in 0..MOST_ITERATIONS {
        if miss.abs() <= tolerance * reach {
            break;
        }
        let t = n.cross(u);
        let slope = bend + gap;
        // Where the gap is not a concave function of the angle, it is climbed.
        let smallest = (bend + gap.abs()) * T::of(1e-3) + reach * T::of(1e-12);
        let slope = if slope > reach * T::of(1e-12) { slope } else { smallest };
        let cap = T::of(LARGEST_TURN);
        let mut step = (miss / slope).max(-cap).min(cap);
        // The rounding is that of the points: a disc that hardly tilts has a support width far below its
        // rim's distance.
        let rounding = T::of(1e-15) * extent;
        let is_better = |next: (T, T)| improves((gap, miss.abs()), (next.0, next.1.abs()), rounding);
        let mut next = (n + t * step).normalize();
        let mut seen = look(&next);
        while !is_better((seen.0, seen.1)) && step.abs() > T::of(1e-9) {
            step *= T::of(0.5);
            next = (n + t * step).normalize();
            seen = look(&next);
        }
        if !is_better((seen.0, seen.1)) {
            break;
        }
        n = next;
        (gap, miss, bend, reach, extent) = seen;
    }
    n
}

/// How the normal and the arms of a solved contact point turn with the poses.
pub fn tangent<T: Real>(a: &Piece<T>, b: &Piece<T>, solved: &Solved<T>) -> PairTangent<T> {
    let (n, gap) = (&solved.point.normal, solved.point.gap);
    let [sa, sb] = &solved.slope;
    let (nx, one, o) = (cross(n), Matrix3::identity(), Matrix3::zeros());
    let (turn_a, turn_b) = (-cross(&solved.point.arm_a), -cross(&solved.point.arm_b));
    // δθ × n = −[n]× δθ.
    let right = [-one, -turn_a - sa * nx, one, turn_b - sb * nx];
    let (u, n_straight) = directions(a, b);
    // u·δn = −(u × n)·δθ of the body that u belongs to.
    let block = |k: usize| if k < a.n_straight { 1 } else { 3 };
    let held = |k: usize, i: usize| if block(k) == i { -u[k].cross(n) } else { Vector3::zeros() };
    let m = sa + sb + one * gap;
    let mut normal = [o; 4];
    let mut slid = [[Vector3::zeros(); 4]; 2];
    match n_straight {
        0 => {
            let (t, q) = tangents(n);
            let (mt, mq) = (m * t, m * q);
            let (m00, m01, m11) = (t.dot(&mt), t.dot(&mq), q.dot(&mq));
            let det = m00 * m11 - m01 * m01;
            let inverse = (t * t.transpose() * m11 + q * q.transpose() * m00
                - (t * q.transpose() + q * t.transpose()) * m01)
                / det;
            normal = right.map(|r| inverse * r);
        }
        1 => {
            let t = n.cross(&u[0]);
            let bend = t.dot(&(m * t));
            for i in 0..4 {
                let fixed = u[0] * held(0, i).transpose();
                let free = (right[i] - m * fixed).tr_mul(&t) / bend;
                normal[i] = fixed + t * free.transpose();
                slid[0][i] = (right[i] - m * normal[i]).tr_mul(&u[0]);
            }
        }
        _ => {
            // The dual basis of u[0], u[1] in the tangent plane.
            let c = u[0].dot(&u[1]);
            let det = T::one() - c * c;
            let dual = [(u[0] - u[1] * c) / det, (u[1] - u[0] * c) / det];
            for i in 0..4 {
                normal[i] = dual[0] * held(0, i).transpose() + dual[1] * held(1, i).transpose();
                let left = right[i] - m * normal[i];
                slid[0][i] = left.tr_mul(&dual[0]);
                slid[1][i] = left.tr_mul(&dual[1]);
            }
        }
    }
    let mut arm_a = normal.map(|d| sa * d);
    let mut arm_b = normal.map(|d| -(sb * d));
    arm_a[1] += turn_a + sa * nx;
    arm_b[3] += turn_b - sb * nx;
    for k in 0..n_straight {
        for i in 0..4 {
            // μ of a direction of A is δλ, of one of B −δλ.
            let along = u[k] * slid[k][i].transpose();
            if k < a.n_straight { arm_a[i] += along } else { arm_b[i] -= along }
        }
    }
    PairTangent { normal, arm_a, arm_b }
}

#[cfg(test)]
mod tests {
    use super::super::flat_point::{edge_edge_tangent, face_point_tangent};
    use super::*;
    use nalgebra::Rotation3;

    type V = Vector3<f64>;

    const OFFSET: [f64; 3] = [0.11, 0.08, 0.3];

    /// Pieces of two bodies; coordinate 0..12 of (c_a, θ_a, c_b, θ_b) moved by `step`. `kind` names both.
    fn pieces(kind: [&str; 2], coordinate: usize, step: f64) -> (Piece<f64>, Piece<f64>, V) {
        let turns = [V::new(0.2, 0.5, -0.3), V::new(-0.8, 0.1, 0.4)];
        let moved = [0, 1].map(|i| {
            let mut spin = V::zeros();
            let mut shift = V::zeros();
            let local = coordinate.wrapping_sub(6 * i);
            if local < 3 {
                shift[local] = step;
            } else if local < 6 {
                spin[local - 3] = step;
            }
            let r = (Rotation3::new(spin) * Rotation3::new(turns[i])).into_inner();
            let (arm, u) = (r * V::new(0.02, -0.05, 0.04), r * V::new(0.0, 0.6, 0.8));
            let piece = match kind[i] {
                "point" => Piece::point(arm),
                "edge" => Piece::point(arm).along(&u),
                "face" => Piece::plane(arm, &(r * V::new(0.0, 0.0, if i == 0 { 1.0 } else { -1.0 }))),
                "disc" => Piece::disc(arm, &u, 0.07),
                "side" => Piece::disc(arm, &u, 0.07).along(&u),
                _ => Piece::round(Ellipsoid::new(arm, &r, &V::new(0.1, 0.07, 0.04))),
            };
            (piece, shift)
        });
        let offset = V::from(OFFSET) + moved[1].1 - moved[0].1;
        (moved[0].0, moved[1].0, offset)
    }

    fn at(kind: [&str; 2], coordinate: usize, step: f64) -> Solved<f64> {
        let (a, b, offset) = pieces(kind, coordinate, step);
        solve(&a, &b, &offset, &V::from(OFFSET).normalize(), 1e-15)
    }

    const REGULAR: [[&str; 2]; 21] = [
        ["ball", "ball"],
        ["ball", "point"],
        ["point", "ball"],
        ["ball", "edge"],
        ["edge", "ball"],
        ["ball", "face"],
        ["face", "ball"],
        ["ball", "disc"],
        ["disc", "ball"],
        ["ball", "side"],
        ["side", "ball"],
        ["disc", "disc"],
        ["disc", "edge"],
        ["edge", "disc"],
        ["face", "disc"],
        ["disc", "face"],
        ["side", "disc"],
        ["side", "point"],
        ["side", "edge"],
        ["side", "side"],
        ["point", "face"],
    ];

    #[test]
    fn points_face_each_other_along_the_normal() {
        for kind in REGULAR {
            let found = at(kind, 99, 0.0);
            let apart = V::from(OFFSET) + found.point.arm_b - found.point.arm_a;
            let error = (apart - found.point.normal * found.point.gap).norm();
            assert!(error < 1e-14, "{kind:?}: {error} {found:?}");
        }
    }

    #[test]
    fn tangents_agree_with_differences() {
        for kind in REGULAR {
            let (a, b, _) = pieces(kind, 99, 0.0);
            let mine = tangent(&a, &b, &at(kind, 99, 0.0));
            for coordinate in 0..12 {
                let step = 1e-5;
                let (up, down) = (at(kind, coordinate, step).point, at(kind, coordinate, -step).point);
                let (block, column) = (coordinate / 3, coordinate % 3);
                let parts = [
                    (up.normal - down.normal, &mine.normal),
                    (up.arm_a - down.arm_a, &mine.arm_a),
                    (up.arm_b - down.arm_b, &mine.arm_b),
                ];
                for (part, (difference, mine)) in parts.into_iter().enumerate() {
                    let mine: V = mine[block].column(column).into();
                    let error = (mine - difference / (2.0 * step)).norm();
                    // A central difference is off by step² times a third derivative of up to 1e3.
                    assert!(error < 1e-6, "{kind:?} part {part}, coordinate {coordinate}: off by {error}");
                }
            }
        }
    }

    #[test]
    fn flat_pieces_are_the_flat_atoms() {
        let difference = |x: &PairTangent<f64>, y: &PairTangent<f64>| {
            let parts = |t: &PairTangent<f64>| [t.normal, t.arm_a, t.arm_b];
            let pairs = parts(x).into_iter().flatten().zip(parts(y).into_iter().flatten());
            pairs.map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
        };
        let found = |kind| {
            let (a, b, _) = pieces(kind, 99, 0.0);
            let solved = at(kind, 99, 0.0);
            (tangent(&a, &b, &solved), solved.point, a.straight[0], b.straight[0])
        };
        let (mine, point, ..) = found(["face", "point"]);
        assert!(difference(&mine, &face_point_tangent(&point)) < 1e-13);
        let (mine, point, u, w) = found(["edge", "edge"]);
        assert!(difference(&mine, &edge_edge_tangent(&point, &u, &w)) < 1e-12);
    }

    /// A rim that leans by 2° over an edge has a support width of 3 mm, while rounding is that of its radius
    /// and of the arms.
    #[test]
    fn a_rim_that_hardly_leans_is_found_to_rounding() {
        let (axis, radius, arm) = (V::new(0.48, -0.6, 0.64), 0.08, V::new(0.1, -0.2, 0.05));
        let (x, y) = tangents(&axis);
        for case in 0..400 {
            let at = |rate: f64| (rate * f64::from(case)).sin();
            let (around, gap) = (3.0 * at(1.3), 1e-8 * at(2.1));
            let out = x * around.cos() + y * around.sin();
            let n = (axis + out * 0.02 * (1.5 + at(0.7))).normalize();
            let across = axis.cross(&out);
            let u = (across * at(0.9) + n.cross(&across)).normalize();
            let offset = V::new(0.13, 0.02, 0.21);
            let on_edge = arm + out * radius + n * gap - offset + u * 0.06 * at(3.1);
            let (rim, edge) = (Piece::disc(arm, &axis, radius), Piece::point(on_edge).along(&u));
            let found = solve(&rim, &edge, &offset, &(n + u.cross(&n) * 0.02 * at(1.7)).normalize(), 1e-14);
            let error = (found.point.normal - n).norm();
            assert!(found.mismatch < 1e-13 && error < 1e-12, "case {case}: {:e} {error:e}", found.mismatch);
        }
    }
}
