//! Momentum rows and residuals: the one place that computes them.

use crate::problem::ContactProblem;
use crate::solver::law::natural_map;
use signorini_kernels::math::{larger, largest};

/// The residual by part, each body and cone in its own unit u (theory §5.4).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// max |momentum rows| / u over bodies, angular ones over the radii of gyration.
    pub momentum: f64,
    /// max |min(p_n, r_n gap/h)| / u over contact points, and the rows of joints.
    pub complementarity: f64,
    /// max |p − Proj(p − r_t w)| / u over pairs, of friction impulses p.
    pub friction: f64,
}

impl Residual {
    /// The residual with known momentum rows and that of the contact law at (x, y).
    pub fn of(problem: &ContactProblem, momentum: f64, x: &[f64], y: &[f64]) -> Self {
        let (normal, friction) = natural_map(problem, &problem.at.weight, x, y);
        Self { momentum, complementarity: normal, friction }
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
