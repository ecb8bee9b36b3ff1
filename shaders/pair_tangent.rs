//! How a smooth pair's normal and arms turn with the bodies' poses (theory §3.2), closed form.
//!
//! Differentiating Tᵀ(a2 − a1) = 0 gives B δn = P(δx_b − δx_a) + S_a(δθ_a × n) + S_b(δθ_b × n) with
//! B = S_a + S_b + gap on the tangent plane, P = I − n nᵀ and δx the displacement of the material point
//! at the contact.

use crate::real::Real;
use crate::smooth_pair::tangents;
use nalgebra::{Matrix3, Vector3};

/// Derivatives of the normal n and the arms r_a, r_b with respect to (δc_a, δθ_a, δc_b, δθ_b): four 3×3
/// blocks each.
#[derive(Debug, Clone, Copy)]
pub struct PairTangent<T: Real> {
    /// ∂n/∂(c_a, θ_a, c_b, θ_b).
    pub normal: [Matrix3<T>; 4],
    /// ∂r_a.
    pub arm_a: [Matrix3<T>; 4],
    /// ∂r_b.
    pub arm_b: [Matrix3<T>; 4],
}

impl<T: Real> PairTangent<T> {
    /// Derivatives that are all zero.
    pub fn zero() -> Self {
        let zero = [Matrix3::zeros(); 4];
        Self { normal: zero, arm_a: zero, arm_b: zero }
    }
}

/// `[v]×`.
pub fn cross<T: Real>(v: &Vector3<T>) -> Matrix3<T> {
    let o = T::zero();
    Matrix3::new(o, -v.z, v.y, v.z, o, -v.x, -v.y, v.x, o)
}

/// Two curved bodies. `slope` are the S of [`crate::smooth_pair::Closest`], `arm` the contact points
/// relative to the centres of mass.
pub fn curved_pair<T: Real>(
    n: &Vector3<T>,
    gap: T,
    slope: [&Matrix3<T>; 2],
    arm: [&Vector3<T>; 2],
) -> PairTangent<T> {
    let (t, o) = tangents(n);
    let sum = slope[0] + slope[1];
    let (st, so) = (sum * t, sum * o);
    let (m00, m01, m11) = (t.dot(&st) + gap, t.dot(&so), o.dot(&so) + gap);
    let det = m00 * m11 - m01 * m01;
    // T B⁻¹ Tᵀ
    let b = (t * t.transpose() * m11 + o * o.transpose() * m00
        - (t * o.transpose() + o * t.transpose()) * m01)
        / det;
    let nx = cross(n);
    let (rax, rbx) = (cross(arm[0]), cross(arm[1]));
    let (sanx, sbnx) = (slope[0] * nx, slope[1] * nx);
    let normal = [-b, b * (rax - sanx), b, b * (-rbx - sbnx)];
    let mut arm_a = normal.map(|d| slope[0] * d);
    arm_a[1] += sanx - rax;
    let mut arm_b = normal.map(|d| -(slope[1] * d));
    arm_b[3] -= rbx + sbnx;
    PairTangent { normal, arm_a, arm_b }
}

/// A fixed plane as body A: n and the plane stand still.
pub fn plane_pair<T: Real>(n: &Vector3<T>, slope_b: &Matrix3<T>, arm_b: &Vector3<T>) -> PairTangent<T> {
    let zero = [Matrix3::zeros(); 4];
    let mut turned = zero;
    turned[3] = -(cross(arm_b) + slope_b * cross(n));
    PairTangent { normal: zero, arm_a: zero, arm_b: turned }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smooth_pair::{Ellipsoid, closest_points};
    use nalgebra::Rotation3;
    use num_dual::Dual64;

    type D = Dual64;

    fn constant(v: &Vector3<f64>) -> Vector3<D> {
        v.map(D::from_re)
    }

    /// The pair with one of the twelve pose coordinates moved by ε: the dual part is the exact derivative.
    fn moved(coordinate: usize) -> (Vector3<D>, Vector3<D>, Vector3<D>) {
        let semi = [Vector3::new(0.1, 0.07, 0.02), Vector3::new(0.05, 0.08, 0.06)];
        let body = [Vector3::new(0.3, -0.1, 0.2), Vector3::new(0.41, -0.02, 0.23)];
        let offset = [Vector3::new(0.01, -0.02, 0.005), Vector3::new(-0.01, 0.0, 0.02)];
        let turn = [Vector3::new(0.2, 0.5, -0.3), Vector3::new(-0.8, 0.1, 0.4)];
        let mut shapes = Vec::new();
        let mut centers = Vec::new();
        for i in 0..2 {
            let mut center = constant(&body[i]);
            let mut spin: Vector3<D> = Vector3::zeros();
            let local = coordinate.wrapping_sub(6 * i);
            if local < 3 {
                center[local] += D::new(0.0, 1.0);
            } else if local < 6 {
                spin[local - 3] = D::new(0.0, 1.0);
            }
            let rotation =
                (Matrix3::identity() + cross(&spin)) * Rotation3::new(turn[i]).into_inner().map(D::from_re);
            centers.push(center);
            shapes.push(Ellipsoid::new(
                center + rotation * constant(&offset[i]),
                &rotation,
                &constant(&semi[i]),
            ));
        }
        let real = |e: &Ellipsoid<D>| Ellipsoid {
            center: e.center.map(|x| x.re),
            q: e.q.map(|x| x.re),
            disc: None,
            root: None,
        };
        let start = closest_points(&real(&shapes[0]), &real(&shapes[1]), &Vector3::x(), 1e-15).normal;
        let mut found = closest_points(&shapes[0], &shapes[1], &constant(&start), D::from_re(0.0));
        // The dual part converges one Newton step after the real part.
        for _ in 0..4 {
            let next = dual_newton(&shapes[0], &shapes[1], &found.normal);
            found = crate::smooth_pair::evaluate(&shapes[0], &shapes[1], &next);
        }
        let arm_a = shapes[0].center + found.support_a - centers[0];
        let arm_b = shapes[1].center + found.support_b - centers[1];
        (found.normal, arm_a, arm_b)
    }

    fn dual_newton(a: &Ellipsoid<D>, b: &Ellipsoid<D>, n: &Vector3<D>) -> Vector3<D> {
        let c = crate::smooth_pair::evaluate(a, b, n);
        let e = b.center + c.support_b - a.center - c.support_a;
        let (t, o) = tangents(n);
        let s = c.slope_a + c.slope_b;
        let m = nalgebra::Matrix2::new(
            t.dot(&(s * t)) + c.gap,
            t.dot(&(s * o)),
            o.dot(&(s * t)),
            o.dot(&(s * o)) + c.gap,
        );
        let d = m.try_inverse().expect("regular") * nalgebra::Vector2::new(t.dot(&e), o.dot(&e));
        (n + t * d[0] + o * d[1]).normalize()
    }

    #[test]
    fn closed_form_agrees_with_dual_numbers() {
        let (n, ra, rb) = moved(99);
        let re = |v: &Vector3<D>| v.map(|x| x.re);
        let semi = [Vector3::new(0.1, 0.07, 0.02), Vector3::new(0.05, 0.08, 0.06)];
        let turn = [Vector3::new(0.2, 0.5, -0.3), Vector3::new(-0.8, 0.1, 0.4)];
        let slope: Vec<Matrix3<f64>> = (0..2)
            .map(|i| {
                let e = Ellipsoid::new(Vector3::zeros(), &Rotation3::new(turn[i]).into_inner(), &semi[i]);
                let (h, s) = e.support(&re(&n));
                e.support_slope(h, &s)
            })
            .collect();
        let body = [Vector3::new(0.3, -0.1, 0.2), Vector3::new(0.41, -0.02, 0.23)];
        let gap = re(&n).dot(&(body[1] + re(&rb) - body[0] - re(&ra)));
        let tangent = curved_pair(&re(&n), gap, [&slope[0], &slope[1]], [&re(&ra), &re(&rb)]);
        for coordinate in 0..12 {
            let (dn, dra, drb) = moved(coordinate);
            let (block, column) = (coordinate / 3, coordinate % 3);
            for (exact, mine) in [(dn, &tangent.normal), (dra, &tangent.arm_a), (drb, &tangent.arm_b)] {
                let mine: Vector3<f64> = mine[block].column(column).into();
                let error = (mine - exact.map(|x| x.eps)).norm();
                assert!(error < 1e-11, "coordinate {coordinate}: {mine} against {exact}");
            }
        }
    }
}
