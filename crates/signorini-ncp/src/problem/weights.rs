//! Proximal step sizes of the rows of a problem, and the masses that resist at its contacts.

use super::cone::Cone;
use super::contact_problem::ContactProblem;
use crate::linalg::BLOCK;
use crate::threads;
use nalgebra::{Matrix3, Matrix6, Vector6};

/// Contacts that a thread weighs at a time.
const PORTION: usize = 32;

/// A⁻¹ of a body.
struct Inverse<'a> {
    full: &'a Matrix6<f64>,
    /// 1/m, and the inverse of the inertia, where the two do not couple: a quarter of the work, and the same
    /// sums.
    parts: Option<(f64, Matrix3<f64>)>,
}

impl<'a> Inverse<'a> {
    fn new(full: &'a Matrix6<f64>) -> Self {
        let lightness = full[(0, 0)];
        let is_apart = |i: usize, j: usize| full[(i, j)] == 0.0 && full[(j, i)] == 0.0;
        let is_free = full[(1, 1)] == lightness
            && full[(2, 2)] == lightness
            && is_apart(0, 1)
            && is_apart(0, 2)
            && is_apart(1, 2)
            && (0..3).all(|i| (3..6).all(|j| is_apart(i, j)));
        let parts = is_free.then(|| (lightness, full.fixed_view::<3, 3>(3, 3).into_owned()));
        Self { full, parts }
    }

    /// row·A⁻¹ row (1/kg).
    fn yielding(&self, row: &Vector6<f64>) -> f64 {
        let moved = match &self.parts {
            Some((lightness, turning)) => {
                let angular = turning * row.fixed_rows::<3>(3);
                let [x, y, z] = [0, 1, 2].map(|i| lightness * row[i]);
                Vector6::new(x, y, z, angular.x, angular.y, angular.z)
            }
            None => self.full * row,
        };
        row.dot(&moved)
    }
}

impl ContactProblem {
    /// Recomputes the proximal step sizes per row: r_n = 1/D_n for each normal row and r_t = 3/(sum of D over
    /// friction rows) for all friction rows of a contact (one scalar, so that the ball stays a ball). The D
    /// are diag(J A⁻¹ Jᵀ) with the diagonal blocks of A. Rows without mass (fixed against fixed, unused
    /// contact points) and shift rows get 0: they exert nothing.
    pub fn update_weights(&mut self) {
        let mut out = std::mem::take(&mut self.at.weight);
        out.clear();
        out.resize(self.n_rows(), 0.0);
        let cut = |c: usize| self.cones.get(c).map_or(self.n_rows(), |cone| cone.row);
        threads::each_with_own(0..self.cones.len(), &mut out, PORTION, &cut, &|c, out| self.weigh(c, out));
        self.at.weight = out;
    }

    /// Writes the proximal step sizes of the rows of one cone.
    fn weigh(&self, c: usize, out: &mut [f64]) {
        let cone = Cone { row: 0, ..self.cones[c] };
        for k in self.block_offsets[c]..self.block_offsets[c + 1] {
            let inverse = Inverse::new(&self.mass_inverse[self.block_body[k]]);
            let block = self.jacobian_block(c, k);
            for r in (0..cone.n_used).chain(cone.n_normal..cone.n_law_rows()) {
                let row = Vector6::from_column_slice(&block[BLOCK * r..BLOCK * (r + 1)]);
                out[r] += inverse.yielding(&row);
            }
        }
        let invert = |d: f64| if d > 0.0 { 1.0 / d } else { 0.0 };
        for d in &mut out[cone.normal()] {
            *d = invert(*d);
        }
        if let Some(mass_ratios) = self.mass_ratios.get(self.cones[c].normal()) {
            out[cone.normal()].iter_mut().zip(mass_ratios).for_each(|(d, factor)| *d *= factor);
        }
        let friction = &mut out[cone.friction()];
        let used = friction.iter().filter(|d| **d > 0.0).count() as f64;
        let weight = used * invert(friction.iter().sum());
        friction.fill(weight);
    }

    /// 1/D of the normal row at the equivalent contact point, Σ λ̂_j J_j, with the diagonal blocks of A (kg).
    pub fn mass_at_center(&self, contact: usize) -> f64 {
        let yielding = self.yielding(contact, 0, &self.at.load_fraction[self.cones[contact].normal()]);
        if yielding > 0.0 { 1.0 / yielding } else { 0.0 }
    }

    /// 1/Σ (1/m) of the bodies of a contact that move (kg).
    pub fn mass_of_bodies(&self, contact: usize) -> f64 {
        let blocks = self.block_offsets[contact]..self.block_offsets[contact + 1];
        let lightness = |k: usize| self.mass_inverse[self.block_body[k]][(0, 0)];
        let sum: f64 = blocks.map(lightness).sum();
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }

    /// D of the row Σ λ_j J_j over the rows of a contact from `first` on, with the diagonal blocks of A
    /// (1/kg).
    pub fn yielding(&self, contact: usize, first: usize, weights: &[f64]) -> f64 {
        let mut yielding = 0.0;
        for k in self.block_offsets[contact]..self.block_offsets[contact + 1] {
            let rows = self.jacobian_block(contact, k).chunks_exact(BLOCK).skip(first).zip(weights);
            let row: Vector6<f64> = rows.map(|(row, weight)| Vector6::from_column_slice(row) * *weight).sum();
            yielding += Inverse::new(&self.mass_inverse[self.block_body[k]]).yielding(&row);
        }
        yielding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that is free saves work and changes no bit.
    #[test]
    fn free_bodies_yield_like_others() {
        for k in 0..1000 {
            let wave = |a: f64| (a * f64::from(k) + a).sin();
            let turning = Matrix3::from_fn(|i, j| wave(0.7 + i as f64 + 3.1 * j as f64));
            let mut full = Matrix6::identity() * wave(2.9);
            full.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
            let row = Vector6::from_fn(|i, _| if k % 3 > 0 { wave(5.3 + i as f64) } else { (k % 2) as f64 });
            let known = Inverse::new(&full);
            assert!(known.parts.is_some());
            assert_eq!(known.yielding(&row).to_bits(), row.dot(&(full * row)).to_bits(), "{k}");
            full[(k as usize % 6, (k as usize + 1 + k as usize % 5) % 6)] += 0.1;
            let bound = Inverse::new(&full);
            assert_eq!(bound.yielding(&row).to_bits(), row.dot(&(full * row)).to_bits(), "{k}");
        }
    }
}
