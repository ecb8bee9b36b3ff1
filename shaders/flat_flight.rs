//! A body of the flat step at the end of the step: its turn vector by Magnus to third order in h, from
//! Euler's equations I ω' = L × ω.

use super::flat_parameters::{MOST_TURN, TERMS};
use super::smooth_pair::Ellipsoid;
use super::types::{FlatBody, matrix, vector};
use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// Turn vector in principal axes (rad).
fn turn_of<T: Real>(body: &FlatBody<T>, spin: &Vector3<T>, h: T) -> Vector3<T> {
    let w = matrix(&body.rotation).tr_mul(spin);
    let moments = vector(&body.moments);
    let momentum = moments.component_mul(&w);
    let torque = momentum.cross(&w);
    let first = torque.component_div(&moments);
    let second = (torque.cross(&w) + momentum.cross(&first)).component_div(&moments);
    let cubic = second * (h / T::of(6.0)) - first.cross(&w) * (h / T::of(12.0));
    let turn = (w + (first * T::of(0.5) + cubic) * h) * h;
    let most = T::of(MOST_TURN);
    turn * T::one().min(most / turn.norm().max(most))
}

/// cos(θ/2) and sin(θ/2)/θ from (θ/2)², by their series.
fn half_angle<T: Real>(quarter: T) -> (T, T) {
    let (mut c, mut s) = (T::one(), T::one());
    for k in (1..=TERMS).rev() {
        let even = T::of(2.0 * k as f64);
        c = T::one() - c * quarter / (even * (even - T::one()));
        s = T::one() - s * quarter / (even * (even + T::one()));
    }
    (c, s * T::of(0.5))
}

/// Rotation of a turn vector.
fn rotation_of<T: Real>(turn: &Vector3<T>) -> Matrix3<T> {
    let (w, sine) = half_angle(turn.norm_squared() * T::of(0.25));
    let k = (turn * sine).cross_matrix();
    Matrix3::identity() + (k * w + k * k) * T::of(2.0)
}

/// Ellipsoid of a body at the end of a step of h seconds.
pub fn ellipsoid_at_end<T: Real>(
    body: &FlatBody<T>,
    velocity: &Vector3<T>,
    spin: &Vector3<T>,
    h: T,
) -> Ellipsoid<T> {
    let mut scaled = matrix(&body.rotation) * rotation_of(&turn_of(body, spin, h));
    for (mut column, a) in scaled.column_iter_mut().zip(body.semi_axes) {
        column *= a;
    }
    Ellipsoid {
        center: vector(&body.center) + velocity * h,
        q: scaled * scaled.transpose(),
        disc: None,
        root: None,
    }
}
