//! Derivative of a flight with the angular momentum at its start and with the inertia, by the differentiated
//! series.

use crate::pose::cross_matrix;
use nalgebra::{Matrix3, SMatrix, Vector3};

/// Most terms of the series; the derivative takes a few more than the flight.
const MAX_TERMS: usize = 32;
/// Square of the last terms over that of the sum.
const SMALL: f64 = 1e-34;

/// Terms of time over the span, and their derivatives in N directions.
struct Series<const N: usize> {
    /// Angular momentum, and spin times the span, body axes.
    p: [(Vector3<f64>, SMatrix<f64, 3, N>); MAX_TERMS + 1],
    w: [(Vector3<f64>, SMatrix<f64, 3, N>); MAX_TERMS + 1],
    /// Scalar and vector of the quaternion of the turn.
    scalar: [(f64, SMatrix<f64, 1, N>); MAX_TERMS + 1],
    vector: [(Vector3<f64>, SMatrix<f64, 3, N>); MAX_TERMS + 1],
}

/// Directions in which a flight is changed.
pub struct Directions<'a, const N: usize> {
    /// Changes of the angular momentum at the start, body axes.
    pub momentum: SMatrix<f64, 3, N>,
    /// Those of I⁻¹; None where it stays.
    pub inverse: Option<&'a [Matrix3<f64>; N]>,
}

/// Turns of the end, in its body axes, by changes of a flight. None where the series does not converge.
pub fn of<const N: usize>(
    inverse: &Matrix3<f64>,
    momentum: &Vector3<f64>,
    span: f64,
    along: &Directions<'_, N>,
) -> Option<SMatrix<f64, 3, N>> {
    let zero = (Vector3::zeros(), SMatrix::zeros());
    let mut of = Series {
        p: [zero; MAX_TERMS + 1],
        w: [zero; MAX_TERMS + 1],
        scalar: [(0.0, SMatrix::zeros()); MAX_TERMS + 1],
        vector: [zero; MAX_TERMS + 1],
    };
    of.p[0] = (*momentum, along.momentum);
    of.w[0] = along.spin(inverse, &of.p[0], span);
    of.scalar[0].0 = 1.0;
    let (mut scalar, mut vector) = (of.scalar[0], of.vector[0]);
    // Square of the largest derivative of a term: that of the first one may be 0.
    let mut most = 0.0_f64;
    for k in 1..=MAX_TERMS {
        of.add_term(k, inverse, span, along);
        let ((s, ds), (v, dv)) = (of.scalar[k], of.vector[k]);
        scalar = (scalar.0 + s, scalar.1 + ds);
        vector = (vector.0 + v, vector.1 + dv);
        most = most.max(dv.norm_squared());
        let is_small = |k: usize| {
            let (value, slope) = (of.scalar[k].0.powi(2) + of.vector[k].0.norm_squared(), of.vector[k].1);
            value < SMALL && slope.norm_squared() <= SMALL * most
        };
        if k > 2 && is_small(k) && is_small(k - 1) {
            // 2 Im(q* δq).
            let turned = vector.1 * scalar.0 - vector.0 * scalar.1 - cross_matrix(&vector.0) * vector.1;
            return Some(turned * 2.0);
        }
    }
    None
}

impl<const N: usize> Directions<'_, N> {
    /// Spin times the span with an angular momentum, and its changes.
    fn spin(
        &self,
        inverse: &Matrix3<f64>,
        (p, slope): &(Vector3<f64>, SMatrix<f64, 3, N>),
        span: f64,
    ) -> (Vector3<f64>, SMatrix<f64, 3, N>) {
        let mut by = inverse * slope * span;
        for (k, changed) in self.inverse.into_iter().flatten().enumerate() {
            let mut column = by.column_mut(k);
            column += changed * p * span;
        }
        (inverse * p * span, by)
    }
}

impl<const N: usize> Series<N> {
    fn add_term(&mut self, k: usize, inverse: &Matrix3<f64>, span: f64, along: &Directions<'_, N>) {
        let (mut torque, mut torque_slope) = (Vector3::zeros(), SMatrix::<f64, 3, N>::zeros());
        let (mut rate, mut rate_slope) = (0.0, SMatrix::<f64, 1, N>::zeros());
        let (mut turn, mut turn_slope) = (Vector3::zeros(), SMatrix::<f64, 3, N>::zeros());
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
        self.w[k] = along.spin(inverse, &self.p[k], span);
        self.scalar[k] = (rate * half, rate_slope * half);
        self.vector[k] = (turn * half, turn_slope * half);
    }
}
