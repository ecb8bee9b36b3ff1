//! Derivative of the wrench of a manifold at its equivalent contact point with the poses.

use crate::contact::growth::{grown, growths};
use crate::contact::manifold::ContactManifold;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, point_tangent};
use nalgebra::{Matrix3, Vector3};
use signorini_kernels::pair_tangent::PairTangent;

impl ContactManifold {
    /// Derivatives δn = (I − n nᵀ) Σ x_k δn_k / |Σ x_k n_k|, δr = Σ λ_k δr_k at fixed impulses x; each loaded
    /// contact point's own derivatives go to `of_point`. All contact points of a line turn with n.
    pub fn wrench_tangent(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        n: &Vector3<f64>,
        of_point: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let of = |point: &ContactPoint| point_tangent(point, a, b);
        let mut out = self.wrench_slopes(x, n, of, of_point);
        if x.iter().any(|x| *x > 0.0) {
            out.arm_a[0] -= Matrix3::identity();
            out.arm_a[2] += Matrix3::identity();
        }
        out
    }

    /// As [`Self::wrench_tangent`], with the sizes of the bodies in the places of their positions.
    pub fn wrench_growth(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        n: &Vector3<f64>,
        of_point: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let of = |point: &ContactPoint| {
            let g = &point.geometry;
            grown(&point_tangent(point, a, b), growths([a, b], &g.normal, [&g.arm_a, &g.arm_b]))
        };
        self.wrench_slopes(x, n, of, of_point)
    }

    /// The derivatives from those of the points, `of`; arms of A at those of B.
    fn wrench_slopes(
        &self,
        x: &[f64],
        n: &Vector3<f64>,
        of: impl Fn(&ContactPoint) -> PairTangent<f64>,
        of_point: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let mut out = PairTangent::zero();
        let loaded = || self.points.iter().zip(x).enumerate().filter(|(_, (_, x))| **x > 0.0);
        let sum: f64 = loaded().map(|(_, (_, x))| x).sum();
        let length = loaded().map(|(_, (point, x))| x * point.geometry.normal.dot(n)).sum::<f64>();
        for (k, (point, x)) in loaded() {
            let tangent = of(point);
            for i in 0..4 {
                out.normal[i] += tangent.normal[i] * (x / length);
                out.arm_b[i] += tangent.arm_b[i] * (x / sum);
            }
            if !self.is_line {
                of_point(k, &tangent);
            }
        }
        // The wrench acts on A at the same place as on B.
        out.arm_a = out.arm_b;
        let flat = Matrix3::identity() - n * n.transpose();
        out.normal = out.normal.map(|d| flat * d);
        if self.is_line {
            for (k, (point, _)) in loaded() {
                of_point(k, &PairTangent { normal: out.normal, ..of(point) });
            }
        }
        out
    }
}
