//! Signed closest points of two ellipsoids, of four pairs at once.
//!
//! The normal n maximises the separation n·d − √(n·Q_A n) − √(n·Q_B n) of the support planes, d from the
//! centre of A to that of B, Q = R diag(a²) Rᵀ (theory §3.1). At the maximum the surface points with these
//! normals face each other along n. Newton's method on the sphere of normals starts from the last normal.

use crate::numbers::{Four, Number, Symmetric, Vector, add_scaled, dot, product, scale, sub, sub_scaled};
use crate::parameters::{
    CLOSEST_ITERATIONS, CLOSEST_TRIALS, FLAT_CURVATURE, FLAT_SHIFT, MOST_TURN, SEPARATION_ROUNDING,
};
use crate::simd::Simd;

/// Two ellipsoids: their matrices Q (m²) and the way from centre to centre (m).
#[derive(Clone, Copy)]
pub struct Ellipsoids<S: Simd> {
    /// Q of A.
    pub a: Symmetric<Four<S>>,
    /// Q of B.
    pub b: Symmetric<Four<S>>,
    /// From the centre of A to that of B.
    pub way: Vector<Four<S>>,
}

/// Surface points with normals n and −n.
#[derive(Clone, Copy)]
pub struct Facing<S: Simd> {
    /// Unit normal n from A to B.
    pub normal: Vector<Four<S>>,
    /// Separation of the support planes (m).
    pub gap: Four<S>,
    /// Point of A from its centre (m).
    pub point_a: Vector<Four<S>>,
    /// Centre of B from its point (m): the point of B is at −`point_b`.
    pub point_b: Vector<Four<S>>,
    /// Part of the way between the points across n (m).
    across: Vector<Four<S>>,
    /// 1/√(n·Q n) of both (1/m).
    inverse: [Four<S>; 2],
    /// |across| over the sum of the support widths.
    pub mismatch: Four<S>,
}

/// Two unit vectors across a unit vector, without a branch.
#[inline(always)]
pub fn tangents<S: Simd>(n: Vector<Four<S>>) -> [Vector<Four<S>>; 2] {
    let s = n[2].0;
    let (zero, one) = (Four::all(s, 0.0), Four::all(s, 1.0));
    let sign = zero.above(n[2]).select(zero - one, one);
    let a = (zero - one) / (sign + n[2]);
    let b = n[0] * n[1] * a;
    let t = [(sign * n[0]).mul_add(n[0] * a, one), sign * b, zero - sign * n[0]];
    let o = [b, (n[1] * n[1]).mul_add(a, sign), zero - n[1]];
    [t, o]
}

impl<S: Simd> Ellipsoids<S> {
    /// Surface points with this normal.
    #[inline(always)]
    pub fn facing(&self, n: Vector<Four<S>>) -> Facing<S> {
        let s = n[0].0;
        let least = Four::all(s, f64::MIN_POSITIVE);
        let (a, b) = (product(&self.a, n), product(&self.b, n));
        let widths = [dot(n, a).max(least).sqrt(), dot(n, b).max(least).sqrt()];
        let one = Four::all(s, 1.0);
        let inverse = [one / widths[0], one / widths[1]];
        let (point_a, point_b) = (scale(a, inverse[0]), scale(b, inverse[1]));
        let between = sub(sub(self.way, point_a), point_b);
        let gap = dot(n, between);
        let across = sub_scaled(n, gap, between);
        let mismatch = dot(across, across).sqrt() / (widths[0] + widths[1]);
        Facing { normal: n, gap, point_a, point_b, across, inverse, mismatch }
    }

    /// Second derivative of both support functions along v, times v.
    #[inline(always)]
    fn slope(&self, at: &Facing<S>, v: Vector<Four<S>>) -> Vector<Four<S>> {
        let a = sub_scaled(at.point_a, dot(at.point_a, v), product(&self.a, v));
        let b = sub_scaled(at.point_b, dot(at.point_b, v), product(&self.b, v));
        add_scaled(a, at.inverse[0], scale(b, at.inverse[1]))
    }

    /// Newton's turn of the normal: (M + gap) δ = across in the plane of t and o, M the sum of the second
    /// derivatives of the support functions.
    #[inline(always)]
    fn turn(&self, at: &Facing<S>) -> Vector<Four<S>> {
        let s = at.gap.0;
        let (zero, half) = (Four::all(s, 0.0), Four::all(s, 0.5));
        let [t, o] = tangents(at.normal);
        let (along_t, along_o) = (self.slope(at, t), self.slope(at, o));
        let (tt, to, oo) = (dot(t, along_t), dot(t, along_o), dot(o, along_o));
        let (mean, half_difference) = (half * (tt + oo) + at.gap, half * (tt - oo));
        let least = mean - half_difference.mul_add(half_difference, to * to).sqrt();
        let is_flat = (Four::all(s, FLAT_CURVATURE) * (tt + oo)).above(least);
        let shift = is_flat.select(Four::all(s, FLAT_SHIFT) * (tt + oo) - least, zero);
        let (m_tt, m_oo) = (tt + at.gap + shift, oo + at.gap + shift);
        let (g_t, g_o) = (dot(t, at.across), dot(o, at.across));
        let inverse = Four::all(s, 1.0) / (m_tt * m_oo - to * to);
        let (d_t, d_o) = ((m_oo * g_t - to * g_o) * inverse, (m_tt * g_o - to * g_t) * inverse);
        let length = d_t.mul_add(d_t, d_o * d_o).max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
        let cap = Four::all(s, 1.0).min(Four::all(s, MOST_TURN) / length);
        add_scaled(t, d_t * cap, scale(o, d_o * cap))
    }

    /// Closest points from a start, to a mismatch of `tolerance`; pairs with `fixed` keep their normal.
    #[inline(always)]
    pub fn closest(&self, start: Vector<Four<S>>, fixed: Four<S>, tolerance: f64) -> Facing<S> {
        let s = start[0].0;
        let one = Four::all(s, 1.0);
        let mut at = self.facing(start);
        let mut given_up = fixed;
        for _ in 0..CLOSEST_ITERATIONS {
            let open = at.mismatch.above(Four::all(s, tolerance)).and_not(given_up);
            if open.bits() == 0 {
                break;
            }
            let turn = self.turn(&at);
            let (mut left, mut step) = (open, one);
            for _ in 0..CLOSEST_TRIALS {
                let normal = add_scaled(turn, step, at.normal);
                let normal = scale(normal, one / dot(normal, normal).sqrt());
                let trial = self.facing(normal);
                let rises = trial.gap.above(at.gap + Four::all(s, SEPARATION_ROUNDING));
                let same = (at.gap - Four::all(s, SEPARATION_ROUNDING)).above(trial.gap);
                let nearer = at.mismatch.above(trial.mismatch).and_not(same);
                let better = rises.or(nearer);
                let better = better.and_not(better.and_not(left));
                at = at.or(better, &trial);
                left = left.and_not(better);
                if left.bits() == 0 {
                    break;
                }
                step = left.select(step * Four::all(s, 0.5), step);
            }
            given_up = given_up.or(left);
        }
        at
    }
}

impl<S: Simd> Facing<S> {
    /// Takes `other` where the answer is yes.
    #[inline(always)]
    fn or(&self, answer: Four<S>, other: &Self) -> Self {
        Self {
            normal: answer.select_vector(other.normal, self.normal),
            gap: answer.select(other.gap, self.gap),
            point_a: answer.select_vector(other.point_a, self.point_a),
            point_b: answer.select_vector(other.point_b, self.point_b),
            across: answer.select_vector(other.across, self.across),
            inverse: [
                answer.select(other.inverse[0], self.inverse[0]),
                answer.select(other.inverse[1], self.inverse[1]),
            ],
            mismatch: answer.select(other.mismatch, self.mismatch),
        }
    }
}
