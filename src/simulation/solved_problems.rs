//! The problems that the last step has solved, for other solvers.

use super::outcome::StepOutcome;
use super::run::Simulation;
use crate::step::SolvedProblem;
use signorini_error::{Error, Result};

impl Simulation {
    /// Advances by one time step as [`Self::advance`] does, to the same bits, and returns the problems that
    /// the step has solved, linearized at their solutions: one for each group of bodies that touch, or that
    /// joints connect, in each substep, and those of impacts. Bodies that nothing is near have none.
    ///
    /// # Errors
    /// When the formulation has no such problems: only `implicit` has.
    pub fn advance_with_problems(&mut self) -> Result<(StepOutcome, Vec<SolvedProblem>)> {
        if !self.stepper.keep_problems(true) {
            return Err(Error::Usage {
                what: format!("problems with formulation = {:?}", self.scene.solver.formulation.as_str()),
                allowed: "only \"implicit\" hands its problems out".to_owned(),
            });
        }
        let outcome = self.advance();
        self.stepper.keep_problems(false);
        Ok((outcome, self.stepper.take_problems()))
    }
}
