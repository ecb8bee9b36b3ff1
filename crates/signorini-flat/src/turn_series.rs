//! The turn of four bodies in free flight, to rounding: the Taylor series of Euler's equations and of the
//! quaternion of the turn, in principal axes (theory §1.4).
//!
//! ```text
//! Ω' = ((I_y − I_z)/I_x Ω_y Ω_z, (I_z − I_x)/I_y Ω_z Ω_x, (I_x − I_y)/I_z Ω_x Ω_y),      q' = ½ q Ω
//! ```
//! Each coefficient follows from products of those before it.

use crate::numbers::{Four, Number, Vector};
use crate::parameters::{LEAST_TERM, TURN_TERMS};
use crate::simd::Simd;

/// Quaternions w, x, y, z of four turns.
pub type Quaternions<S> = [Four<S>; 4];

/// Turns of four bodies with these spins times h and principal moments, and the answers whether the series
/// would go on: they are too far for it. A lane takes its own terms only: no other one changes its bits.
#[inline(always)]
pub fn turn_series<S: Simd>(spin: Vector<Four<S>>, moments: Vector<Four<S>>) -> (Quaternions<S>, Four<S>) {
    let s = spin[0].0;
    let (zero, one) = (Four::all(s, 0.0), Four::all(s, 1.0));
    let [i_x, i_y, i_z] = moments;
    let torque = [(i_y - i_z) / i_x, (i_z - i_x) / i_y, (i_x - i_y) / i_z];
    let (mut w, mut q) = ([[zero; 3]; TURN_TERMS], [[zero; 4]; TURN_TERMS]);
    (w[0], q[0]) = (spin, [one, zero, zero, zero]);
    let (mut sum, mut before, mut goes_on) = (q[0], one, one.above(zero));
    for k in 0..TURN_TERMS - 1 {
        let (of_w, of_q) = products(&w[..=k], &q[..=k]);
        let per = Four::all(s, 1.0 / (k + 1) as f64);
        let half = Four::all(s, 0.5) * per;
        let next = [of_q[0] * half, of_q[1] * half, of_q[2] * half, of_q[3] * half];
        let spun = [torque[0] * of_w[0] * per, torque[1] * of_w[1] * per, torque[2] * of_w[2] * per];
        // No closures over arrays: they would not be inlined with the instructions of the machine.
        for (sum, term) in sum.iter_mut().zip(next) {
            *sum = *sum + goes_on.select(term, zero);
        }
        let size = largest(&next).max(largest(&spun));
        (w[k + 1], q[k + 1]) = (spun, next);
        let is_small = Four::all(s, LEAST_TERM).above(size.max(before));
        (before, goes_on) = (size, goes_on.and_not(is_small));
        if goes_on.bits() == 0 {
            break;
        }
    }
    (sum, goes_on)
}

/// Σ_j (Ω_y Ω_z, Ω_z Ω_x, Ω_x Ω_y) and Σ_j q_j Ω_{k−j} of the last coefficients.
#[inline(always)]
fn products<S: Simd>(w: &[Vector<Four<S>>], q: &[Quaternions<S>]) -> (Vector<Four<S>>, Quaternions<S>) {
    let zero = Four::all(w[0][0].0, 0.0);
    let (mut of_w, mut of_q) = ([zero; 3], [zero; 4]);
    for ((a, q), b) in w.iter().zip(q).zip(w.iter().rev()) {
        of_w = [a[1].mul_add(b[2], of_w[0]), a[2].mul_add(b[0], of_w[1]), a[0].mul_add(b[1], of_w[2])];
        let [r, x, y, z] = *q;
        of_q = [
            x.neg_mul_add(b[0], y.neg_mul_add(b[1], z.neg_mul_add(b[2], of_q[0]))),
            r.mul_add(b[0], y.mul_add(b[2], z.neg_mul_add(b[1], of_q[1]))),
            r.mul_add(b[1], z.mul_add(b[0], x.neg_mul_add(b[2], of_q[2]))),
            r.mul_add(b[2], x.mul_add(b[1], y.neg_mul_add(b[0], of_q[3]))),
        ];
    }
    (of_w, of_q)
}

/// The largest size of some numbers.
#[inline(always)]
fn largest<S: Simd, const N: usize>(of: &[Four<S>; N]) -> Four<S> {
    let mut most = of[0].abs();
    for x in &of[1..] {
        most = most.max(x.abs());
    }
    most
}
