//! Solves with an LU in f64 of the matrix itself, whose results are taken unchanged.

use super::{NewtonSystem, divide_angular};

impl NewtonSystem {
    /// Solves as [`Self::solve`] with an LU in f64 of this very matrix, whose result is taken unchanged.
    pub fn substitute(&mut self, length: f64, b: &[f64], x: &mut [f64]) {
        x.copy_from_slice(b);
        divide_angular(x, 1, length);
        self.lu.solve(x);
        divide_angular(x, 1, length);
    }

    /// Solves for several right-hand sides as [`Self::substitute`] does, one in each lane.
    pub fn substitute_lanes<const W: usize>(&mut self, length: f64, b: &[[f64; W]], x: &mut [[f64; W]]) {
        x.copy_from_slice(b);
        divide_angular(x.as_flattened_mut(), W, length);
        self.lu.solve_lanes(x);
        divide_angular(x.as_flattened_mut(), W, length);
    }

    /// Solves with the transposed matrix, as [`Self::substitute`] does.
    pub fn substitute_transposed(&mut self, length: f64, b: &[f64], x: &mut [f64]) {
        x.copy_from_slice(b);
        divide_angular(x, 1, length);
        self.lu.solve_transposed(x);
        divide_angular(x, 1, length);
    }
}
