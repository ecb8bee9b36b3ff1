//! What attempts to solve along the central path have in common: when they are made, where they start, how
//! they finish.

use crate::problem::Cone;
use crate::solver::iterate::Iterate;
use crate::solver::parameters::central_path::{
    INITIAL_SPEED_FRACTION, MAX_BACK_OFF, MIN_INITIAL_SPEED, PATH_ABOVE_RESIDUAL,
};
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// Workspace, and what earlier solves taught.
#[derive(Debug, Default)]
pub struct PathSchedule {
    /// Where the solve started.
    pub start: Iterate,
    pub momentum: Vec<f64>,
    /// Solves to leave out, and how many were left out last.
    pub pause: (usize, usize),
}

impl PathSchedule {
    /// Whether this solve, which starts from `residual`, should try if it can. A pile that creeps creeps on
    /// in the next step: after failures more and more solves are left out.
    pub fn is_due(&mut self, residual: &Residual, can: bool) -> bool {
        let applies = residual.max() > PATH_ABOVE_RESIDUAL && can;
        if applies && self.pause.0 > 0 {
            self.pause.0 -= 1;
            return false;
        }
        applies
    }

    pub fn note(&mut self, succeeded: bool) {
        let pause = if succeeded { 0 } else { (2 * self.pause.1 + 1).min(MAX_BACK_OFF) };
        self.pause = (pause, pause);
    }

    /// Moves `iterate` to free motion, linearized there; returns the speed that the first impulses should
    /// stop: a part of the fastest approach.
    pub fn release(&mut self, problem: &mut dyn StepProblem, iterate: &mut Iterate) -> f64 {
        iterate.copy_from(&self.start);
        let Iterate { velocity, impulse } = iterate;
        impulse.fill(0.0);
        problem.linearized().balance(impulse, &mut self.momentum, velocity);
        problem.refresh(velocity, impulse);
        let linearized = problem.linearized();
        let contacts = linearized.cones.iter().filter(|cone| !cone.bounded);
        let rows = contacts.flat_map(Cone::normal).filter(|row| linearized.at.weight[*row] > 0.0);
        let fastest = rows.map(|row| -linearized.at.slip[row]).fold(0.0, f64::max);
        let heaviest = linearized.mass.iter().map(|m| m[(0, 0)]).fold(0.0, f64::max);
        (INITIAL_SPEED_FRACTION * fastest).max(MIN_INITIAL_SPEED * linearized.at.units.momentum / heaviest)
    }
}
