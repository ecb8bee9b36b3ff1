//! Momentum rows and residuals: the one place that computes them.

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
    /// The worse of each part; NaN wins.
    pub fn worse(&self, other: &Residual) -> Residual {
        let pick = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        Residual {
            momentum: pick(self.momentum, other.momentum),
            complementarity: pick(self.complementarity, other.complementarity),
            friction: pick(self.friction, other.friction),
        }
    }

    /// Whether the largest part is above a limit, or not a number.
    pub fn exceeds(&self, limit: f64) -> bool {
        self.max().is_nan() || self.max() > limit
    }

    /// The largest part; NaN wins.
    pub fn max(&self) -> f64 {
        let mut worst = 0.0;
        for part in [self.momentum, self.complementarity, self.friction] {
            if part.is_nan() {
                return f64::NAN;
            }
            if part > worst {
                worst = part;
            }
        }
        worst
    }
}

/// w of y = Y v + w, from where the problem is frozen.
pub(crate) fn offset_of(problem: &ContactProblem) -> Vec<f64> {
    let mut offset = vec![0.0; problem.n_rows()];
    problem.response(&problem.at.velocity, &mut offset);
    for (w, y) in offset.iter_mut().zip(&problem.at.slip) {
        *w = y - *w;
    }
    offset
}

/// Momentum rows A v − b − Jᵀ x, into `force`; returns them scaled.
pub(crate) fn momentum_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> f64 {
    problem.mass_product(v, force);
    for (f, b) in force.iter_mut().zip(&problem.at.free_momentum) {
        *f -= b;
    }
    problem.add_forces(x, -1.0, force);
    problem.scaled_momentum(force)
}

/// The residual of the momentum rows, which go into `force`, and of the contact law where the problem is
/// frozen.
pub(crate) fn residual_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> Residual {
    let momentum = momentum_at(problem, v, x, force);
    let (normal, friction) = natural_map(problem, &problem.at.weight, x, &problem.at.slip);
    let unit = 1.0 / problem.scaling.momentum;
    Residual { momentum, complementarity: normal * unit, friction: friction * unit }
}
