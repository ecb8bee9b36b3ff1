//! Problems whose geometry does not move: A v = b + Jᵀ x, y = Y v + w.

use super::law::natural_map;
use super::proximal_newton::StepProblem;
use super::status::Residual;
use crate::problem::ContactProblem;
use sprs::CsMat;

/// Judges impulses by a norm of the caller's: two residuals, both of which have to meet the tolerance.
pub type Judge<'a> = &'a dyn Fn(&[f64]) -> (f64, f64);

/// A linear problem with the residual it is solved to.
pub struct LinearProblem<'a> {
    pub(super) frozen: ContactProblem,
    /// w.
    offset: Vec<f64>,
    judge: Option<Judge<'a>>,
    remainder: Option<&'a CsMat<f64>>,
    force: Vec<f64>,
}

impl<'a> LinearProblem<'a> {
    /// Takes a problem frozen anywhere. Without a judge the residual is that of the momentum rows and of the
    /// contact law in units of `scaling`.
    pub fn new(problem: ContactProblem, judge: Option<Judge<'a>>) -> Self {
        let (offset, force) = (offset_of(&problem), vec![0.0; problem.velocity.len()]);
        Self { frozen: problem, offset, judge, remainder: None, force }
    }

    /// With y = Y v + w + R x, R small: it is evaluated at the impulses of the last refresh.
    pub fn with_remainder(mut self, remainder: Option<&'a CsMat<f64>>) -> Self {
        self.remainder = remainder;
        self
    }
}

/// w of y = Y v + w, from where the problem is frozen.
pub(super) fn offset_of(problem: &ContactProblem) -> Vec<f64> {
    let mut offset = vec![0.0; problem.n_rows()];
    problem.response(&problem.velocity, &mut offset);
    for (w, y) in offset.iter_mut().zip(&problem.slip) {
        *w = y - *w;
    }
    offset
}

/// Momentum rows A v − b − Jᵀ x, into `force`; returns them scaled.
fn momentum_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> f64 {
    problem.mass_product(v, force);
    for (f, b) in force.iter_mut().zip(&problem.free_momentum) {
        *f -= b;
    }
    problem.add_forces(x, -1.0, force);
    problem.scaled_momentum(force)
}

/// The residual of the momentum rows, which go into `force`, and of the contact law where the problem is frozen.
pub(super) fn residual_at(problem: &ContactProblem, v: &[f64], x: &[f64], force: &mut [f64]) -> Residual {
    let momentum = momentum_at(problem, v, x, force);
    let (normal, friction) = natural_map(problem, &problem.weight, x, &problem.slip);
    let unit = 1.0 / problem.scaling.momentum;
    Residual { momentum, complementarity: normal * unit, friction: friction * unit }
}

impl StepProblem for LinearProblem<'_> {
    fn frozen(&self) -> &ContactProblem {
        &self.frozen
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        self.frozen.velocity.copy_from_slice(v);
        let mut slip = std::mem::take(&mut self.frozen.slip);
        self.frozen.response(v, &mut slip);
        slip.iter_mut().zip(&self.offset).for_each(|(y, w)| *y += w);
        if let Some(remainder) = self.remainder {
            for (y, row) in slip.iter_mut().zip(remainder.outer_iterator()) {
                *y += row.iter().map(|(j, r)| r * x[j]).sum::<f64>();
            }
        }
        self.frozen.slip = slip;
        let Some(judge) = self.judge else { return residual_at(&self.frozen, v, x, &mut self.force) };
        let (complementarity, friction) = judge(x);
        Residual { momentum: momentum_at(&self.frozen, v, x, &mut self.force), complementarity, friction }
    }
}
