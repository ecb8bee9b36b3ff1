//! Problems whose geometry does not move: A v = b + Jᵀ x, y = Y v + w.

use crate::problem::ContactProblem;
use crate::solver::residual::Residual;
use crate::solver::residual::{momentum_at, offset_of, residual_at};
use crate::solver::step_problem::StepProblem;
use sprs::CsMat;

/// Judges impulses by a norm of the caller's: two residuals, both of which have to meet the tolerance.
pub type Judge<'a> = &'a dyn Fn(&[f64]) -> (f64, f64);

/// A linear problem with the residual it is solved to.
pub struct LinearProblem<'a> {
    /// The problem, whose rows do not depend on the velocity.
    pub linearized: ContactProblem,
    /// w.
    offset: Vec<f64>,
    judge: Option<Judge<'a>>,
    remainder: Option<&'a CsMat<f64>>,
    force: Vec<f64>,
}

impl<'a> LinearProblem<'a> {
    /// Takes a problem linearized anywhere. Without a judge the residual is that of the momentum rows and of
    /// the contact law in units of `scaling`.
    pub fn new(problem: ContactProblem, judge: Option<Judge<'a>>) -> Self {
        let (offset, force) = (offset_of(&problem), vec![0.0; problem.at.velocity.len()]);
        Self { linearized: problem, offset, judge, remainder: None, force }
    }

    /// With y = Y v + w + R x, R small: it is evaluated at the impulses of the last refresh.
    pub fn with_remainder(mut self, remainder: Option<&'a CsMat<f64>>) -> Self {
        self.remainder = remainder;
        self
    }
}

impl StepProblem for LinearProblem<'_> {
    fn linearized(&self) -> &ContactProblem {
        &self.linearized
    }

    fn refresh(&mut self, v: &[f64], x: &mut [f64]) -> Residual {
        self.linearized.at.velocity.copy_from_slice(v);
        let mut slip = std::mem::take(&mut self.linearized.at.slip);
        self.linearized.response(v, &mut slip);
        slip.iter_mut().zip(&self.offset).for_each(|(y, w)| *y += w);
        if let Some(remainder) = self.remainder {
            for (y, row) in slip.iter_mut().zip(remainder.outer_iterator()) {
                *y += row.iter().map(|(j, r)| r * x[j]).sum::<f64>();
            }
        }
        self.linearized.at.slip = slip;
        let Some(judge) = self.judge else { return residual_at(&self.linearized, v, x, &mut self.force) };
        let (complementarity, friction) = judge(x);
        Residual { momentum: momentum_at(&self.linearized, v, x, &mut self.force), complementarity, friction }
    }
}
