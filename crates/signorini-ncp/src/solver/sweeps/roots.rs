//! Roots of the masses: with A = L Lᵀ per body, w = Lᵀ v has unit mass and rows become L⁻¹ J.

use crate::linalg::BLOCK;
use nalgebra::Matrix6;

/// L⁻¹ of a body, lower triangular.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    inverse: [[f64; BLOCK]; BLOCK],
    /// Whether linear and angular parts do not mix, as those of a rigid body about its centre of mass.
    splits: bool,
}

impl Root {
    /// Of a positive definite block.
    pub fn new(mass: &Matrix6<f64>) -> Self {
        let mut lower = [[0.0; BLOCK]; BLOCK];
        for i in 0..BLOCK {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
                let rest = mass[(i, j)] - known;
                lower[i][j] = if i == j { rest.sqrt() } else { rest / lower[j][j] };
            }
        }
        let mut inverse = [[0.0; BLOCK]; BLOCK];
        for j in 0..BLOCK {
            inverse[j][j] = 1.0 / lower[j][j];
            for i in j + 1..BLOCK {
                let known: f64 = (j..i).map(|k| lower[i][k] * inverse[k][j]).sum();
                inverse[i][j] = -known / lower[i][i];
            }
        }
        let mixed = (3..BLOCK).any(|i| (0..3).any(|j| inverse[i][j] != 0.0));
        let skewed = (1..3).any(|i| (0..i).any(|j| inverse[i][j] != 0.0));
        Self { inverse, splits: !mixed && !skewed }
    }

    /// L⁻¹ a, of a row or a momentum.
    #[inline(always)]
    pub fn divide(&self, a: &[f64]) -> [f64; BLOCK] {
        let l = &self.inverse;
        let mut out = [0.0; BLOCK];
        if self.splits {
            for d in 0..3 {
                out[d] = l[d][d] * a[d];
            }
            out[3] = l[3][3] * a[3];
            out[4] = l[4][3] * a[3] + l[4][4] * a[4];
            out[5] = l[5][3] * a[3] + l[5][4] * a[4] + l[5][5] * a[5];
            return out;
        }
        for (i, out) in out.iter_mut().enumerate() {
            *out = (0..=i).map(|k| l[i][k] * a[k]).sum();
        }
        out
    }

    /// v = L⁻ᵀ w.
    pub fn velocity(&self, w: &[f64]) -> [f64; BLOCK] {
        let mut out = [0.0; BLOCK];
        for (i, out) in out.iter_mut().enumerate() {
            *out = (i..BLOCK).map(|k| self.inverse[k][i] * w[k]).sum();
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_divides_momentum_as_the_mass_does() {
        let full =
            Matrix6::from_fn(|i, j| if i == j { 3.0 + i as f64 } else { 0.3 / (1.0 + (i + j) as f64) });
        let mut split = full;
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            if i != j && (i < 3 || j < 3) {
                split[(i, j)] = 0.0;
            }
        }
        let momentum = [0.3, -1.0, 0.7, 0.2, 2.0, -0.4];
        for (mass, splits) in [(full, false), (split, true)] {
            let root = Root::new(&mass);
            assert_eq!(root.splits, splits);
            let v = nalgebra::Vector6::from(root.velocity(&root.divide(&momentum)));
            assert!((mass * v - nalgebra::Vector6::from(momentum)).norm() < 1e-14);
        }
    }
}
