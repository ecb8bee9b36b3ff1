//! Derivative of a flight with the angular momentum at its start, by the differentiated series.

use crate::pose::cross_matrix;
use nalgebra::{Matrix3, RowVector3, Vector3};

/// Most terms of the series; the derivative takes a few more than the flight.
const MAX_TERMS: usize = 32;
/// Square of the last terms over that of the sum.
const SMALL: f64 = 1e-34;

/// Terms of time over the span, and their derivatives with the angular momentum at the start.
struct Series {
    /// Angular momentum, and spin times the span, body axes.
    p: [(Vector3<f64>, Matrix3<f64>); MAX_TERMS + 1],
    w: [(Vector3<f64>, Matrix3<f64>); MAX_TERMS + 1],
    /// Scalar and vector of the quaternion of the turn.
    scalar: [(f64, RowVector3<f64>); MAX_TERMS + 1],
    vector: [(Vector3<f64>, Matrix3<f64>); MAX_TERMS + 1],
}

/// D: a change δp of the angular momentum at the start, body axes, turns the end by D δp, in the body axes of
/// the end. None where the series does not converge.
pub fn of(inverse: &Matrix3<f64>, momentum: &Vector3<f64>, span: f64) -> Option<Matrix3<f64>> {
    let zero = (Vector3::zeros(), Matrix3::zeros());
    let mut of = Series {
        p: [zero; MAX_TERMS + 1],
        w: [zero; MAX_TERMS + 1],
        scalar: [(0.0, RowVector3::zeros()); MAX_TERMS + 1],
        vector: [zero; MAX_TERMS + 1],
    };
    of.p[0] = (*momentum, Matrix3::identity());
    of.w[0] = (inverse * momentum * span, inverse * span);
    of.scalar[0].0 = 1.0;
    let (mut scalar, mut vector) = (of.scalar[0], of.vector[0]);
    for k in 1..=MAX_TERMS {
        of.add_term(k, inverse, span);
        let ((s, ds), (v, dv)) = (of.scalar[k], of.vector[k]);
        scalar = (scalar.0 + s, scalar.1 + ds);
        vector = (vector.0 + v, vector.1 + dv);
        let is_small = |k: usize| {
            let (value, slope) = (of.scalar[k].0.powi(2) + of.vector[k].0.norm_squared(), of.vector[k].1);
            value < SMALL && slope.norm_squared() < SMALL * of.vector[1].1.norm_squared()
        };
        if k > 1 && is_small(k) && is_small(k - 1) {
            // 2 Im(q* δq).
            let turned = vector.1 * scalar.0 - vector.0 * scalar.1 - cross_matrix(&vector.0) * vector.1;
            return Some(turned * 2.0);
        }
    }
    None
}

impl Series {
    fn add_term(&mut self, k: usize, inverse: &Matrix3<f64>, span: f64) {
        let (mut torque, mut torque_slope) = (Vector3::zeros(), Matrix3::zeros());
        let (mut rate, mut rate_slope) = (0.0, RowVector3::zeros());
        let (mut turn, mut turn_slope) = (Vector3::zeros(), Matrix3::zeros());
        for i in 0..k {
            let (w, dw) = &self.w[k - 1 - i];
            let (p, dp) = &self.p[i];
            torque += p.cross(w);
            torque_slope += cross_matrix(p) * dw - cross_matrix(w) * dp;
            let ((s, ds), (v, dv)) = (&self.scalar[i], &self.vector[i]);
            rate -= v.dot(w);
            rate_slope -= w.transpose() * dv + v.transpose() * dw;
            turn += w * *s + v.cross(w);
            turn_slope += w * ds + dw * *s + cross_matrix(v) * dw - cross_matrix(w) * dv;
        }
        let (order, half) = (1.0 / k as f64, 0.5 / k as f64);
        self.p[k] = (torque * order, torque_slope * order);
        self.w[k] = (inverse * self.p[k].0 * span, inverse * self.p[k].1 * span);
        self.scalar[k] = (rate * half, rate_slope * half);
        self.vector[k] = (turn * half, turn_slope * half);
    }
}
