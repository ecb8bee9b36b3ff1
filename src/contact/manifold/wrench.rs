//! How the wrench of a patch at its equivalent contact point changes with the poses.

use crate::contact::manifold::Patch;
use crate::contact::placed::Placed;
use crate::contact::point::atom_tangent;
use crate::kernels::pair_tangent::PairTangent;
use nalgebra::{Matrix3, Vector3};

impl Patch {
    /// δn = (I − n nᵀ) Σ x_k δn_k / |Σ x_k n_k|, δr = Σ λ_k δr_k at fixed impulses x; each loaded atom's own derivatives go to `of_atom`. All atoms
    /// of a line turn with n.
    pub fn wrench_tangent(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        x: &[f64],
        n: &Vector3<f64>,
        of_atom: &mut dyn FnMut(usize, &PairTangent<f64>),
    ) -> PairTangent<f64> {
        let zero = [Matrix3::zeros(); 4];
        let mut out = PairTangent { normal: zero, arm_a: zero, arm_b: zero };
        let loaded = || self.atoms.iter().zip(x).enumerate().filter(|(_, (_, x))| **x > 0.0);
        let sum: f64 = loaded().map(|(_, (_, x))| x).sum();
        let length = loaded().map(|(_, (atom, x))| x * atom.geometry.normal.dot(n)).sum::<f64>();
        for (k, (atom, x)) in loaded() {
            let tangent = atom_tangent(atom, a, b);
            for i in 0..4 {
                out.normal[i] += tangent.normal[i] * (x / length);
                out.arm_a[i] += tangent.arm_a[i] * (x / sum);
                out.arm_b[i] += tangent.arm_b[i] * (x / sum);
            }
            if !self.is_line {
                of_atom(k, &tangent);
            }
        }
        let flat = Matrix3::identity() - n * n.transpose();
        out.normal = out.normal.map(|d| flat * d);
        if self.is_line {
            for (k, (atom, _)) in loaded() {
                of_atom(k, &PairTangent { normal: out.normal, ..atom_tangent(atom, a, b) });
            }
        }
        out
    }
}
