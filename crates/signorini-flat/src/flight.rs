//! Poses at the end of the step, of four bodies at once.

use crate::bodies::FourBodies;
use crate::numbers::{Four, Number, Symmetric, Vector, add, add_scaled, cross, dot, scale};
use crate::parameters::MOST_ITERATE_TURN;
use crate::simd::Simd;
use crate::turn_series::{Quaternions, turn_series};

/// Coefficients ±1/(2k)! of cos(θ/2) in (θ/2)², highest power first.
const COSINE: [f64; 8] = [
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
    1.0,
];
/// Coefficients ±½/(2k + 1)! of sin(θ/2)/θ in (θ/2)², highest power first.
const SINE: [f64; 8] = [
    -0.5 / 1_307_674_368_000.0,
    0.5 / 6_227_020_800.0,
    -0.5 / 39_916_800.0,
    0.5 / 362_880.0,
    -0.5 / 5_040.0,
    0.5 / 120.0,
    -0.5 / 6.0,
    0.5,
];

/// Rotations of four bodies within a step, in principal axes, row by row.
pub type Turns<S> = [Four<S>; 9];

/// Ellipsoids of four bodies at the end of the step.
#[derive(Clone, Copy)]
pub struct FourEllipsoids<S: Simd> {
    /// Centre (m).
    pub centre: Vector<Four<S>>,
    /// Q = R diag(a²) Rᵀ (m²).
    pub q: Symmetric<Four<S>>,
}

#[inline(always)]
fn series<S: Simd>(coefficients: &[f64; 8], x: Four<S>) -> Four<S> {
    let mut sum = Four::all(x.0, coefficients[0]);
    for c in &coefficients[1..] {
        sum = sum.mul_add(x, Four::all(x.0, *c));
    }
    sum
}

#[inline(always)]
fn quotient<S: Simd>(a: Vector<Four<S>>, b: Vector<Four<S>>) -> Vector<Four<S>> {
    [a[0] / b[0], a[1] / b[1], a[2] / b[2]]
}

impl<S: Simd> FourBodies<S> {
    /// Turn vector of the flight in principal axes: Ω of Magnus to third order in h, from Euler's equations
    /// I ω' = L × ω, with a length that an iterate may not exceed.
    #[inline(always)]
    fn turn(&self, h: f64) -> Vector<Four<S>> {
        let (s, spin) = (self.spin[0].0, self.spin_in_body());
        let inertia = self.moments;
        let momentum = [inertia[0] * spin[0], inertia[1] * spin[1], inertia[2] * spin[2]];
        let torque = cross(momentum, spin);
        let first = quotient(torque, inertia);
        let second = quotient(add(cross(torque, spin), cross(momentum, first)), inertia);
        let twist = cross(first, spin);
        let (sixth, twelfth) = (Four::all(s, h / 6.0), Four::all(s, h / -12.0));
        let cubic = add_scaled(second, sixth, scale(twist, twelfth));
        let slope = add_scaled(first, Four::all(s, 0.5), cubic);
        let turn = scale(add_scaled(slope, Four::all(s, h), spin), Four::all(s, h));
        let length = dot(turn, turn).max(Four::all(s, f64::MIN_POSITIVE)).sqrt();
        let cap = Four::all(s, 1.0).min(Four::all(s, MOST_ITERATE_TURN) / length);
        scale(turn, cap)
    }

    /// Row i of R D, D the turn of the step.
    #[inline(always)]
    fn rotated_row(&self, d: &Turns<S>, i: usize) -> Vector<Four<S>> {
        let row = [self.rotation[3 * i], self.rotation[3 * i + 1], self.rotation[3 * i + 2]];
        [dot(row, [d[0], d[3], d[6]]), dot(row, [d[1], d[4], d[7]]), dot(row, [d[2], d[5], d[8]])]
    }

    /// Centres and rotations, row by row, after a step of h seconds at the velocities with these turns.
    #[inline(always)]
    pub fn pose_after(&self, turn: &Turns<S>, h: f64) -> (Vector<Four<S>>, Turns<S>) {
        let (a, b) = (self.rotated_row(turn, 0), self.rotated_row(turn, 1));
        let c = self.rotated_row(turn, 2);
        (self.centre_at_end(h), [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]])
    }

    /// Ellipsoids after a step of h seconds at the velocities with these turns.
    #[inline(always)]
    pub fn ellipsoids_after(&self, turn: &Turns<S>, h: f64) -> FourEllipsoids<S> {
        let scaled = |[x, y, z]: Vector<Four<S>>| {
            [x * self.semi_axes[0], y * self.semi_axes[1], z * self.semi_axes[2]]
        };
        let (a, b) = (scaled(self.rotated_row(turn, 0)), scaled(self.rotated_row(turn, 1)));
        let c = scaled(self.rotated_row(turn, 2));
        let q = [dot(a, a), dot(a, b), dot(a, c), dot(b, b), dot(b, c), dot(c, c)];
        FourEllipsoids { centre: self.centre_at_end(h), q }
    }

    /// Ellipsoids at the end of a step of h seconds at the velocities, with turns to third order.
    #[inline(always)]
    pub fn at_end(&self, h: f64) -> FourEllipsoids<S> {
        self.ellipsoids_after(&self.turn_to_third_order(h), h)
    }

    #[inline(always)]
    fn centre_at_end(&self, h: f64) -> Vector<Four<S>> {
        add_scaled(self.velocity, Four::all(self.spin[0].0, h), self.centre)
    }

    /// Turns of the step to third order in h.
    #[inline(always)]
    pub fn turn_to_third_order(&self, h: f64) -> Turns<S> {
        rotation_of(self.rough_turn(h))
    }

    /// Turns of the step to rounding, and where they are too far for that: those are to third order.
    #[inline(always)]
    pub fn turn_to_rounding(&self, h: f64) -> (Turns<S>, Four<S>) {
        let s = self.spin[0].0;
        let (turn, is_far) = turn_series(scale(self.spin_in_body(), Four::all(s, h)), self.moments);
        if is_far.bits() == 0 {
            return (rotation_of(turn), is_far);
        }
        let rough = self.rough_turn(h);
        let either = |d: usize| is_far.select(rough[d], turn[d]);
        (rotation_of([either(0), either(1), either(2), either(3)]), is_far)
    }

    /// Spin in principal axes (rad/s).
    #[inline(always)]
    fn spin_in_body(&self) -> Vector<Four<S>> {
        let (r, w) = (&self.rotation, self.spin);
        [dot([r[0], r[3], r[6]], w), dot([r[1], r[4], r[7]], w), dot([r[2], r[5], r[8]], w)]
    }

    #[inline(always)]
    fn rough_turn(&self, h: f64) -> Quaternions<S> {
        let turn = self.turn(h);
        let quarter = dot(turn, turn) * Four::all(turn[0].0, 0.25);
        let [x, y, z] = scale(turn, series(&SINE, quarter));
        [series(&COSINE, quarter), x, y, z]
    }
}

/// Rotations of quaternions, row by row.
#[inline(always)]
fn rotation_of<S: Simd>([w, x, y, z]: Quaternions<S>) -> Turns<S> {
    let (one, two) = (Four::all(w.0, 1.0), Four::all(w.0, 2.0));
    [
        two.neg_mul_add(y.mul_add(y, z * z), one),
        two * (x * y - w * z),
        two * x.mul_add(z, w * y),
        two * x.mul_add(y, w * z),
        two.neg_mul_add(x.mul_add(x, z * z), one),
        two * (y * z - w * x),
        two * (x * z - w * y),
        two * y.mul_add(z, w * x),
        two.neg_mul_add(x.mul_add(x, y * y), one),
    ]
}
