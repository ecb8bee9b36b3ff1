//! Reading and writing the rows of a smooth pair, which are stored without numbers that follow from the rest:
//! nothing changes when both bodies move on together, so that linear parts on A are those on B with the other
//! sign.

use super::constants::BLOCK;
use super::types::PairRows;
use super::wrench::sign;
use crate::real::Real;

/// Rows of a pair.
const ROWS: usize = 4;
/// The last row is torsion: a torque without force.
const TORSION: usize = 3;
/// Place of the torque of torsion on B; the torques of the other rows follow it.
const TWIST: usize = 9;
const TORQUES: usize = 12;
/// Numbers of the torques of a side, three of which are not used.
const SIDE: usize = 12;
/// Numbers of three rows of the stiffness, one of which is not used.
const GROUP: usize = 28;

/// Place of entry (row, column) of the stiffness: nine rows and columns. Three columns of a 3×3 block
/// lie side by side.
pub fn stiffness_place(row: usize, column: usize) -> usize {
    GROUP * (row / 3) + 9 * (column / 3) + 3 * (row % 3) + column % 3
}

/// (v_b − v_a, ω_a, ω_b): the nine numbers of two bodies' motions that a pair depends on.
pub fn relative<T: Real>(w: [&[T]; 2]) -> [T; 9] {
    let [a, b] = w;
    [b[0] - a[0], b[1] - a[1], b[2] - a[2], a[3], a[4], a[5], b[3], b[4], b[5]]
}

impl<T: Real> PairRows<T> {
    /// Force direction of row k on a side: force, torque.
    pub fn force(&self, side: usize, k: usize) -> [T; 6] {
        let (j, s) = (&self.jacobian, sign::<T>(side));
        if k == TORSION {
            let zero = T::zero();
            return [zero, zero, zero, j[TWIST] * s, j[TWIST + 1] * s, j[TWIST + 2] * s];
        }
        let (l, t) = (3 * k, TORQUES + SIDE * side + 3 * k);
        [j[l] * s, j[l + 1] * s, j[l + 2] * s, j[t], j[t + 1], j[t + 2]]
    }

    /// ∂y/∂v of row k by the velocities of a side.
    pub fn answer(&self, side: usize, k: usize) -> [T; 6] {
        let (y, s) = (&self.response, sign::<T>(side));
        let (l, t) = (3 * k, 3 * ROWS * (1 + side) + 3 * k);
        [y[l] * s, y[l + 1] * s, y[l + 2] * s, y[t], y[t + 1], y[t + 2]]
    }

    /// Entry of K as if it had six rows and columns of A, then of B.
    pub fn stiff(&self, row: usize, column: usize) -> T {
        // Place of the number, and its sign.
        let place = |i: usize| match (i / BLOCK, i % BLOCK) {
            (side, linear @ 0..3) => (linear, sign::<T>(side)),
            (side, angular) => (angular + 3 * side, T::one()),
        };
        let ((r, s), (c, t)) = (place(row), place(column));
        self.stiffness[stiffness_place(r, c)] * (s * t)
    }

    /// Takes force directions and velocity Jacobian of a side, four rows of six; linear parts from B.
    pub fn put_side(&mut self, side: usize, force: &[T; 24], answer: &[T; 24]) {
        for k in 0..ROWS {
            let (f, y) = (&force[BLOCK * k..BLOCK * (k + 1)], &answer[BLOCK * k..BLOCK * (k + 1)]);
            self.response[3 * ROWS * (1 + side) + 3 * k..][..3].copy_from_slice(&y[3..]);
            if k < TORSION {
                self.jacobian[TORQUES + SIDE * side + 3 * k..][..3].copy_from_slice(&f[3..]);
            }
            if side == 1 {
                self.response[3 * k..][..3].copy_from_slice(&y[..3]);
                // Torsion has a torque where the others have a force.
                let from = if k < TORSION { &f[..3] } else { &f[3..] };
                self.jacobian[3 * k..][..3].copy_from_slice(from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that all differ.
    fn rows() -> PairRows<f64> {
        let numbers: Vec<f64> = (0..PairRows::<f64>::LEN).map(|i| (i as f64 * 0.7).sin()).collect();
        PairRows::read(&numbers)
    }

    #[test]
    fn what_is_put_is_read_back() {
        let mut rows = PairRows::filled(f64::NAN);
        let number = |side: usize, k: usize, i: usize| (100 * side + 10 * k + i) as f64;
        let side = |side: usize, shift: f64| -> [f64; 24] {
            std::array::from_fn(|at| {
                let (k, i) = (at / 6, at % 6);
                match (i < 3, k == 3 && shift == 0.0) {
                    (true, true) => 0.0,
                    (true, false) => sign::<f64>(side) * (number(1, k, i) + shift),
                    (false, true) => sign::<f64>(side) * number(1, k, i),
                    (false, false) => number(side, k, i) + shift,
                }
            })
        };
        for s in 0..2 {
            rows.put_side(s, &side(s, 0.0), &side(s, 0.5));
        }
        for s in 0..2 {
            for k in 0..4 {
                assert_eq!(rows.force(s, k)[..], side(s, 0.0)[6 * k..6 * k + 6], "side {s}, row {k}");
                assert_eq!(rows.answer(s, k)[..], side(s, 0.5)[6 * k..6 * k + 6], "side {s}, row {k}");
            }
        }
    }

    /// Twelve by twelve entries act on two bodies as the nine by nine stored ones on their relative motion.
    #[test]
    fn bodies_that_move_together_feel_nothing() {
        let rows = rows();
        let w = [[0.3, -0.2, 0.7, 1.0, 2.0, -1.5], [-0.4, 0.9, 0.1, -0.6, 0.2, 0.8]];
        let seen = relative([&w[0], &w[1]]);
        for i in 0..3 {
            let moved: f64 = (0..12).map(|j| rows.stiff(i, j) * w[j / 6][j % 6]).sum();
            let short: f64 = (0..9).map(|j| rows.stiffness[stiffness_place(i, j)] * seen[j]).sum();
            assert!((moved + short).abs() < 1e-12, "the force on A, row {i}: {moved} and {short}");
        }
        for i in 3..6 {
            let moved: f64 = (0..12).map(|j| rows.stiff(6 + i, j) * w[j / 6][j % 6]).sum();
            let short: f64 = (0..9).map(|j| rows.stiffness[stiffness_place(3 + i, j)] * seen[j]).sum();
            assert!((moved - short).abs() < 1e-12, "the torque on B, row {i}: {moved} and {short}");
        }
        assert!((0..12).all(|i| (0..3).all(|j| rows.stiff(i, j) == -rows.stiff(i, 6 + j))));
    }
}
