//! Closest points of two smooth bodies with one unknown direction (theory §3.1).
//!
//! The outer unit normal n of A is the only geometric unknown. With Q = R diag(a²) Rᵀ, h(n) = √(nᵀQn)
//! and support point s(n) = Q n / h, the signed gap is the stationary maximum over n of
//! g(n) = n·d − h_a(n) − h_b(n), d = c_b − c_a. It replaces ‖a1 − a2‖ of [CBAT (9)] and stays smooth
//! through touching into penetration.

use super::constants::{INDEFINITE, LARGEST_TURN, MOST_ITERATIONS, OPPOSITE, PICK, SHIFT};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// An ellipsoid { c + Q^½ x : |x| ≤ 1 }, centre relative to any common origin.
#[derive(Debug, Clone, Copy)]
pub struct Ellipsoid<T: Real> {
    /// Centre (m).
    pub center: Vector3<T>,
    /// Q = R diag(a²) Rᵀ (m²).
    pub q: Matrix3<T>,
    /// Unit axis and radius (m) of a disc. Near its axis √(nᵀQn) loses the digits that distinguish n from the
    /// axis, twice as many as the tilt is small: from a tilt of 1e-5 on its rim was off by 1e-6 of the
    /// radius.
    pub disc: Option<(Vector3<T>, T)>,
    /// Q^½ = R diag(a) of a lens or a needle. Across it √(nᵀ Q n) is known to ε a²/c only, with the largest
    /// semi-axis a and the smallest c, and the support point to ε a³/c²; |Q^½ᵀ n| makes that ε a²/c.
    pub root: Option<Matrix3<T>>,
}

/// Ellipsoids whose semi-axes differ by more than this are lenses or needles.
const SLENDER: f64 = 30.0;

impl<T: Real> Ellipsoid<T> {
    /// An ellipsoid from centre, rotation and semi-axes.
    pub fn new(center: Vector3<T>, rotation: &Matrix3<T>, semi_axes: &Vector3<T>) -> Self {
        let mut scaled = *rotation;
        for (mut column, a) in scaled.column_iter_mut().zip(semi_axes.iter()) {
            column *= *a;
        }
        let root = (semi_axes.max() > semi_axes.min() * T::of(SLENDER)).then_some(scaled);
        Self { center, q: scaled * scaled.transpose(), disc: None, root }
    }

    /// Half-width h(n) (m) and support point s(n) relative to the centre.
    pub fn support(&self, n: &Vector3<T>) -> (T, Vector3<T>) {
        if let Some((axis, radius)) = &self.disc {
            let across = n - axis * axis.dot(n);
            let across = across - axis * axis.dot(&across);
            let tilt = across.norm();
            let none = tilt <= T::zero();
            return if none { (tilt, Vector3::zeros()) } else { (*radius * tilt, across * (*radius / tilt)) };
        }
        if let Some(root) = &self.root {
            let along = root.tr_mul(n);
            let h = along.norm();
            return (h, root * along / h);
        }
        let qn = self.q * n;
        let square = n.dot(&qn);
        // A point, or a disc seen along its axis.
        if square <= T::zero() {
            return (T::zero(), Vector3::zeros());
        }
        let h = square.sqrt();
        (h, qn / h)
    }

    /// S = ∂s/∂n = (Q − s sᵀ)/h (m): the inverse curvature of the surface where its normal is n; 0 of a
    /// point.
    pub fn support_slope(&self, h: T, s: &Vector3<T>) -> Matrix3<T> {
        if h > T::zero() { (self.q - s * s.transpose()) / h } else { Matrix3::zeros() }
    }
}

/// The signed closest-point pair.
#[derive(Debug, Clone, Copy)]
pub struct Closest<T: Real> {
    /// Unit normal from A into B.
    pub normal: Vector3<T>,
    /// Closest point on A relative to A's centre (m).
    pub support_a: Vector3<T>,
    /// Closest point on B relative to B's centre (m).
    pub support_b: Vector3<T>,
    /// Slope of the support point of A and of B (m).
    pub slope_a: Matrix3<T>,
    /// See `slope_a`.
    pub slope_b: Matrix3<T>,
    /// Signed distance (m).
    pub gap: T,
    /// |Tᵀ(a2 − a1)| (m): 0 at the solution.
    pub mismatch: T,
    /// `mismatch` / (h_a + h_b).
    pub residual: T,
}

/// Two unit vectors that complete n to a right-handed frame (n, t, o).
pub fn tangents<T: Real>(n: &Vector3<T>) -> (Vector3<T>, Vector3<T>) {
    let pick = if n.x.abs() < T::of(PICK) { Vector3::x() } else { Vector3::y() };
    let t = (pick - n * n.dot(&pick)).normalize();
    (t, n.cross(&t))
}

/// t carried from the plane of n0 to that of n by the smallest rotation.
pub fn carried<T: Real>(t: &Vector3<T>, n0: &Vector3<T>, n: &Vector3<T>) -> Vector3<T> {
    let sum = n0 + n;
    let cosine = T::one() + n0.dot(n);
    if cosine < T::of(OPPOSITE) {
        return tangents(n).0;
    }
    t - sum * (n.dot(t) / cosine)
}

/// Closest point of an ellipsoid on a half-space with outer normal n; `height` is n·(centre of B's mass) less
/// the plane's offset.
pub fn plane_gap<T: Real>(n: &Vector3<T>, height: T, b: &Ellipsoid<T>) -> Closest<T> {
    let (h, s) = b.support(n);
    Closest {
        normal: *n,
        support_a: Vector3::zeros(),
        support_b: -s,
        slope_a: Matrix3::zeros(),
        slope_b: b.support_slope(h, &s),
        gap: height + n.dot(&b.center) - h,
        residual: T::zero(),
        mismatch: T::zero(),
    }
}

/// Closest-point pair at one direction n, which need not be the stationary one.
pub fn evaluate<T: Real>(a: &Ellipsoid<T>, b: &Ellipsoid<T>, n: &Vector3<T>) -> Closest<T> {
    let (ha, sa) = a.support(n);
    let (hb, sb) = b.support(n);
    let e = b.center - a.center - sa - sb;
    let gap = n.dot(&e);
    let mismatch = (e - n * gap).norm();
    Closest {
        normal: *n,
        support_a: sa,
        support_b: -sb,
        slope_a: a.support_slope(ha, &sa),
        slope_b: b.support_slope(hb, &sb),
        gap,
        mismatch,
        residual: mismatch / (ha + hb),
    }
}

/// Conditions that end a search.
#[derive(Debug, Clone, Copy)]
pub struct Search<T: Real> {
    /// Found: the residual is at most this.
    pub tolerance: T,
    /// Gaps that differ by less than this fraction of the bodies' width count as equal, and so do normals
    /// that differ by less than this angle (rad).
    pub rounding: T,
    /// Shortest step of the line search.
    pub smallest_step: T,
}

impl<T: Real> Search<T> {
    /// A search in f64, to a tolerance.
    pub fn to(tolerance: T) -> Self {
        Self { tolerance, rounding: T::of(1e-14), smallest_step: T::of(1e-9) }
    }

    /// All parameters, named as in the shaders.
    pub fn parameters(&self) -> [(&'static str, T); 2] {
        [("ROUNDING", self.rounding), ("SMALLEST_STEP", self.smallest_step)]
    }

    /// A search in f32, as far as it goes.
    pub fn coarse() -> Self {
        Self { tolerance: T::of(1e-6), rounding: T::of(1e-6), smallest_step: T::of(1e-3) }
    }
}

/// Solves Tᵀ(a2 − a1) = 0 by Newton on the sphere from `start`, backtracking on the gap (which it maximises),
/// to `tolerance` relative to h_a + h_b.
pub fn closest_points<T: Real>(
    a: &Ellipsoid<T>,
    b: &Ellipsoid<T>,
    start: &Vector3<T>,
    tolerance: T,
) -> Closest<T> {
    closest_points_with(a, b, start, &Search::to(tolerance))
}

/// [`closest_points`] with all parameters of the search.
pub fn closest_points_with<T: Real>(
    a: &Ellipsoid<T>,
    b: &Ellipsoid<T>,
    start: &Vector3<T>,
    search: &Search<T>,
) -> Closest<T> {
    let found = climb(a, b, start, search);
    if found.residual <= search.tolerance {
        return found;
    }
    let n = found.normal;
    let starts = [beside_axis(a, b, &n), beside_axis(b, a, &-n).map(|n| -n)];
    let is_better = |next: &Closest<T>| next.residual < found.residual && next.gap > found.gap;
    starts.iter().flatten().map(|n| climb(a, b, n, search)).find(is_better).unwrap_or(found)
}

/// The search from one normal.
fn climb<T: Real>(a: &Ellipsoid<T>, b: &Ellipsoid<T>, start: &Vector3<T>, search: &Search<T>) -> Closest<T> {
    let mut now = evaluate(a, b, start);
    for _ in 0..MOST_ITERATIONS {
        if now.residual <= search.tolerance {
            break;
        }
        let turn = newton_turn(a, b, &now);
        let way = turn.norm();
        let mut step = T::one();
        let mut next = evaluate(a, b, &rotated(&now.normal, &turn));
        let rounding = search.rounding * (now.support_a - now.support_b).norm();
        let is_better =
            |next: &Closest<T>| improves((now.gap, now.residual), (next.gap, next.residual), rounding);
        // Turns by rounding are neither better nor worse.
        while !is_better(&next) && step > search.smallest_step && step * way > search.rounding {
            step *= T::of(0.5);
            next = evaluate(a, b, &rotated(&now.normal, &(turn * step)));
        }
        if !is_better(&next) {
            break;
        }
        now = next;
        if lies_over(a, b, &now.normal) || lies_over(b, a, &-now.normal) {
            break;
        }
    }
    now
}

/// Within this angle (rad) of a disc's axis the search tells whether it goes there.
const NEAR_AXIS: f64 = 0.1;
/// Discs that are parallel to this angle (rad) have their kinks at one place.
const PARALLEL: f64 = 1e-6;

/// The axis of a disc on the side of n, and from there to the other body's point nearest along it; None if n
/// is not near the axis, or the other is a parallel disc.
fn over_disc<T: Real>(
    disc: &Ellipsoid<T>,
    other: &Ellipsoid<T>,
    n: &Vector3<T>,
) -> Option<(Vector3<T>, Vector3<T>, T)> {
    let (axis, radius) = disc.disc?;
    let up = if axis.dot(n) < T::zero() { -axis } else { axis };
    let is_parallel = |(second, _): (Vector3<T>, T)| second.cross(&axis).norm() < T::of(PARALLEL);
    if (n - up).norm() > T::of(NEAR_AXIS) || other.disc.is_some_and(is_parallel) {
        return None;
    }
    Some((up, other.center - disc.center - other.support(&up).1, radius))
}

/// Whether the search has come to a disc that the other body lies over: the gap is largest along the disc's
/// axis, has a kink there, and no normal of the rim. Halvings beside a kink took 98 % of the evaluations
/// where discs fall on each other.
fn lies_over<T: Real>(disc: &Ellipsoid<T>, other: &Ellipsoid<T>, n: &Vector3<T>) -> bool {
    let Some((up, arm, radius)) = over_disc(disc, other, n) else { return false };
    (arm - up * up.dot(&arm)).norm() < radius * T::of(1.0 - PARALLEL)
}

/// A normal near a disc's axis, where the other body's nearest point along the axis is outside the disc by
/// little: the axis, leaning outwards there by as much as the point, which moves with the normal, needs to be
/// above the rim. The gap is a cone about the axis there, from whose far side no search gets around it.
fn beside_axis<T: Real>(disc: &Ellipsoid<T>, other: &Ellipsoid<T>, n: &Vector3<T>) -> Option<Vector3<T>> {
    let (up, arm, radius) = over_disc(disc, other, n)?;
    let flat = arm - up * up.dot(&arm);
    let out = flat.try_normalize(radius)?;
    let (h, s) = other.support(&up);
    let yielding = out.dot(&(other.support_slope(h, &s) * out));
    let lean = (flat.norm() - radius) / yielding;
    let most = T::of(NEAR_AXIS);
    Some((up + out * if lean < most { lean } else { most }).normalize())
}

/// Whether an iterate is better, of a gap and a residual: the gap grew; or, at rounding level (m), where the
/// gap no longer tells better from worse, the residual fell.
pub(super) fn improves<T: Real>(now: (T, T), next: (T, T), rounding: T) -> bool {
    next.0 > now.0 + rounding || (next.0 >= now.0 - rounding && next.1 < now.1)
}

fn rotated<T: Real>(n: &Vector3<T>, turn: &Vector3<T>) -> Vector3<T> {
    (n + turn).normalize()
}

/// Tangent step (Tᵀ(S_a + S_b)T + gap I)⁻¹ Tᵀ(a2 − a1), made an ascent direction where the block is not
/// positive definite (deep penetration), and capped.
fn newton_turn<T: Real>(a: &Ellipsoid<T>, b: &Ellipsoid<T>, now: &Closest<T>) -> Vector3<T> {
    let n = &now.normal;
    let e = b.center + now.support_b - a.center - now.support_a;
    let (t, o) = tangents(n);
    let slope = now.slope_a + now.slope_b;
    let (st, so) = (slope * t, slope * o);
    let (mut m00, m01, mut m11) = (t.dot(&st) + now.gap, t.dot(&so), o.dot(&so) + now.gap);
    let (g0, g1) = (t.dot(&e), o.dot(&e));
    let half_trace = (m00 + m11) * T::of(0.5);
    let half_difference = (m00 - m11) * T::of(0.5);
    let smallest = half_trace - (half_difference * half_difference + m01 * m01).sqrt();
    // Radii of curvature differ by 1e4 and more on needles and lenses: only a block that is not positive
    // definite is shifted, anything stronger makes the search crawl there.
    let trace = t.dot(&st) + o.dot(&so);
    if smallest < trace * T::of(INDEFINITE) {
        let shift = trace * T::of(SHIFT) - smallest;
        m00 += shift;
        m11 += shift;
    }
    let determinant = m00 * m11 - m01 * m01;
    let d0 = (m11 * g0 - m01 * g1) / determinant;
    let d1 = (m00 * g1 - m01 * g0) / determinant;
    let turn = t * d0 + o * d1;
    let length = turn.norm();
    let cap = T::of(LARGEST_TURN);
    if length > cap { turn * (cap / length) } else { turn }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Rotation3, UnitVector3};

    fn ellipsoid(center: [f64; 3], axis: [f64; 3], semi: [f64; 3]) -> Ellipsoid<f64> {
        let rotation = Rotation3::new(Vector3::from(axis)).into_inner();
        Ellipsoid::new(Vector3::from(center), &rotation, &Vector3::from(semi))
    }

    /// However little a disc tilts, its lowest point is on its edge and in its plane.
    #[test]
    fn lowest_point_of_a_disc_is_on_its_edge() {
        let (axis, across) = (Vector3::<f64>::new(0.48, 0.6, 0.64), Vector3::new(0.8, 0.0, -0.6));
        let q = (Matrix3::<f64>::identity() - axis * axis.transpose()) * 0.01;
        let disc: Ellipsoid<f64> =
            Ellipsoid { center: Vector3::zeros(), q, disc: Some((axis, 0.1)), root: None };
        for tilt in [1e-2_f64, 1e-4, 1e-6, 1e-8] {
            let n = (axis + across * tilt).normalize();
            let (h, s) = disc.support(&n);
            assert!((s.norm() - 0.1).abs() < 1e-15, "tilt {tilt}: at {}", s.norm());
            assert!(s.dot(&axis).abs() < 1e-15, "tilt {tilt}: {} above", s.dot(&axis));
            assert!((h - n.dot(&s)).abs() < 1e-16, "tilt {tilt}: reaches {h}");
        }
    }

    /// A disc under a ball: the gap is largest along the disc's axis and has a kink there. The search sees
    /// where it goes and does not halve its steps until it is there; beside the disc it finds the rim.
    #[test]
    fn searches_end_where_a_disc_lies_under_the_other_body() {
        let axis = Vector3::z();
        let q = Matrix3::from_diagonal(&Vector3::new(0.01, 0.01, 0.0));
        let disc: Ellipsoid<f64> =
            Ellipsoid { center: Vector3::zeros(), q, disc: Some((axis, 0.1)), root: None };
        let start = Vector3::new(0.3, 0.2, 0.9).normalize();
        for (beside, finds_rim) in [(0.02, false), (0.07, false), (0.12, true)] {
            let ball = ellipsoid([beside, 0.01, 0.2], [0.0; 3], [0.05; 3]);
            let found = closest_points(&disc, &ball, &start, 1e-13);
            assert_eq!(found.residual <= 1e-13, finds_rim, "{beside}: {found:?}");
            let tilt = (found.normal - axis).norm();
            assert!(tilt > 1e-4, "{beside}: went on to {tilt}");
        }
    }

    #[test]
    fn spheres_touch_along_the_line_of_centres() {
        let a = ellipsoid([0.0; 3], [0.3, 0.1, 0.2], [1.0; 3]);
        let b = ellipsoid([3.0, 4.0, 0.0], [0.0; 3], [2.0; 3]);
        let c = closest_points(&a, &b, &Vector3::z(), 1e-14);
        assert!((c.gap - 2.0).abs() < 1e-14);
        assert!((c.normal - Vector3::new(0.6, 0.8, 0.0)).norm() < 1e-13);
    }

    #[test]
    fn converges_on_needles_lenses_and_wheels_from_any_direction() {
        let shapes =
            [[0.015, 0.3, 0.015], [0.2, 0.2, 0.01], [0.02, 0.2, 0.2], [0.1, 0.1, 0.1], [0.3, 0.02, 0.01]];
        let mut wave = 0.37_f64;
        let mut next = || {
            wave = (wave * 127.1 + 0.71).sin();
            wave
        };
        let mut failed = Vec::new();
        for case in 0..4000 {
            let (a, b) = (shapes[case % 5], shapes[(case / 5) % 5]);
            let first = ellipsoid([0.0; 3], [3.0 * next(), 3.0 * next(), 3.0 * next()], a);
            let n = Vector3::new(next(), next(), next()).normalize();
            let mut second = ellipsoid([0.0; 3], [3.0 * next(), 3.0 * next(), 3.0 * next()], b);
            // Touching up to 1 cm apart along n.
            let gap = 0.01 * (case % 3) as f64;
            second.center = first.support(&n).1 + second.support(&n).1 + n * gap;
            let start = second.center.normalize();
            let found = closest_points(&first, &second, &start, 1e-13);
            if found.residual > 1e-12 || (found.gap - gap).abs() > 1e-12 {
                failed.push((case, found.gap - gap, found.residual));
            }
        }
        assert!(failed.is_empty(), "{} of 4000: {:?}", failed.len(), &failed[..failed.len().min(5)]);
    }

    #[test]
    fn the_gap_is_the_largest_over_a_dense_sphere_of_directions() {
        for (k, center) in [[0.25, 0.1, 0.05], [0.1, 0.1, 0.03], [0.02, 0.19, -0.05]].iter().enumerate() {
            let a = ellipsoid([0.0; 3], [0.4, 0.2, 1.0 + k as f64], [0.1, 0.07, 0.02]);
            let b = ellipsoid(*center, [1.0, -0.5, 0.3], [0.1, 0.1, 0.005]);
            let d = UnitVector3::new_normalize(b.center - a.center);
            let found = closest_points(&a, &b, &d, 1e-13);
            assert!(found.residual <= 1e-13, "case {k}: {}", found.residual);
            let mut best = f64::NEG_INFINITY;
            let count = 200_000;
            for i in 0..count {
                let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
                let angle = 2.399_963_229_728_653 * i as f64;
                let r = (1.0 - z * z).sqrt();
                let n = Vector3::new(r * angle.cos(), r * angle.sin(), z);
                best = evaluate(&a, &b, &n).gap.max(best);
            }
            assert!(found.gap >= best && found.gap < best + 1e-4, "case {k}: {} against {best}", found.gap);
        }
    }

    /// A tilted disc whose lowest point is 0.4 mm outside another touches its edge with a normal that leans
    /// by 0.004 from the axis, on whatever side of the axis the search begins.
    #[test]
    fn edges_are_found_from_the_far_side_of_an_axis() {
        let disc = |center: Vector3<f64>, axis: Vector3<f64>, radius: f64| {
            let q = (Matrix3::identity() - axis * axis.transpose()) * (radius * radius);
            Ellipsoid { center, q, disc: Some((axis, radius)), root: None }
        };
        let lower = disc(Vector3::z() * 0.011603624769407243, Vector3::z(), 0.07735749846271496);
        let axis = Vector3::new(-0.41559416, -0.48890238, -0.76697846).normalize();
        let centre = Vector3::new(-0.05682766, -0.1522725, 0.12222337) + axis * 0.021944165182817514;
        let upper = disc(centre, axis, 0.14629443455211674);
        for k in 0..24 {
            let angle = std::f64::consts::TAU * f64::from(k % 8) / 8.0 + 0.1;
            let lean = [3e-2, 1e-2, 1e-3][k as usize / 8];
            let start = Vector3::new(angle.cos() * lean, angle.sin() * lean, 1.0).normalize();
            for (found, side) in [
                (closest_points(&lower, &upper, &start, 1e-12), 1.0),
                (closest_points(&upper, &lower, &-start, 1e-12), -1.0),
            ] {
                let lean = (found.normal * side - Vector3::z()).norm();
                assert!(found.residual <= 1e-12, "{k}: {found:?}");
                assert!((lean - 3.9e-3).abs() < 1e-4, "{k}: {lean} {found:?}");
            }
        }
    }
}
