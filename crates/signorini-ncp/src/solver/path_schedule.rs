//! What attempts to solve along the central path have in common: when they are made, where they start, how
//! they finish.

use crate::problem::Cone;
use crate::solver::iterate::Iterate;
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// The speed that the first impulses stop is at least this times the unit of impulse over the largest mass.
const LEAST_SPEED: f64 = 1e-3;

/// The path is tried where the residual of the start exceeds this; nearer a solution the warm start is worth
/// more.
const ABOVE: f64 = 1e-2;
/// The first impulses stop this part of the fastest approach.
const START: f64 = 0.3;
/// Solves that are left out after a failure, at most; each failure doubles them.
const LONGEST_PAUSE: usize = 15;

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
        let applies = residual.max() > ABOVE && can;
        if applies && self.pause.0 > 0 {
            self.pause.0 -= 1;
            return false;
        }
        applies
    }

    pub fn note(&mut self, succeeded: bool) {
        let pause = if succeeded { 0 } else { (2 * self.pause.1 + 1).min(LONGEST_PAUSE) };
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
        (START * fastest).max(LEAST_SPEED * linearized.at.units.momentum / heaviest)
    }
}
