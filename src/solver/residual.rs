//! Momentum rows and residuals: the one place that computes them.

use crate::math::{larger, largest};
use crate::problem::ContactProblem;
use crate::solver::law::natural_map;

/// The residual by part, each scaled so that 1e-8 means the same in every scene (theory §5.4).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// max |momentum row| / p_ref (angular rows / (p_ref L)).
    pub momentum: f64,
    /// max |min(p_n, r_n gap/h)| / p_ref over atoms.
    pub complementarity: f64,
    /// max |u − Proj(u − r_t w)| / p_ref over pairs.
    pub friction: f64,
}

impl Residual {
    /// The residual with known momentum rows and that of the contact law at (x, y).
    pub fn of(problem: &ContactProblem, momentum: f64, x: &[f64], y: &[f64]) -> Self {
        let (normal, friction) = natural_map(problem, &problem.at.weight, x, y);
        let unit = 1.0 / problem.scaling.momentum;
        Self { momentum, complementarity: normal * unit, friction: friction * unit }
    }

    /// The larger of each part; NaN wins.
    pub fn larger(&self, other: &Residual) -> Residual {
        Residual {
            momentum: larger(self.momentum, other.momentum),
            complementarity: larger(self.complementarity, other.complementarity),
            friction: larger(self.friction, other.friction),
        }
    }

    /// Whether the largest part is above a limit, or not a number.
    pub fn exceeds(&self, limit: f64) -> bool {
        self.max().is_nan() || self.max() > limit
    }

    /// The largest part; NaN wins.
    pub fn max(&self) -> f64 {
        largest([self.momentum, self.complementarity, self.friction])
    }
}

/// w of y = Y v + w, from where the problem is linearized.
pub fn offset_of(problem: &ContactProblem) -> Vec<f64> {
    let mut offset = vec![0.0; problem.n_rows()];
    problem.response(&problem.at.velocity, &mut offset);
    for (w, y) in offset.iter_mut().zip(&problem.at.slip) {
        *w = y - *w;
    }
    offset
}

/// A v − b, into `rows`.
pub fn linear_momentum(problem: &ContactProblem, v: &[f64], rows: &mut [f64]) {
    problem.mass_product(v, rows);
    for (row, b) in rows.iter_mut().zip(&problem.at.free_momentum) {
        *row -= b;
    }
}

/// Momentum rows A v − b − Jᵀ x, into `force`; returns the largest in units of the problem.
pub fn momentum_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> f64 {
    linear_momentum(problem, v, force);
    problem.add_forces(x, -1.0, force);
    problem.scaled_momentum(force)
}

/// The residual of the momentum rows, which go into `force`, and of the contact law where the problem is
/// linearized.
pub fn residual_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> Residual {
    let momentum = momentum_at(problem, v, x, force);
    Residual::of(problem, momentum, x, &problem.at.slip)
}
