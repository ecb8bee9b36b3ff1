//! Parts that both ways along the central path share: the problems that have one, the start from free motion,
//! the back-off after failures, and vectors per contact.

use crate::problem::{Cone, ContactLaw, ContactProblem};
use crate::solver::iterate::Iterate;
use crate::solver::parameters::central_path::{
    INITIAL_SPEED_FRACTION, MAX_BACK_OFF, MIN_INITIAL_SPEED, PATH_ABOVE_RESIDUAL,
};
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// Whether all laws of the problem have a central path.
pub fn exists(problem: &ContactProblem) -> bool {
    let simple = |cone: &Cone| !cone.bounded || cone.normal().all(|row| is_equation(problem.bounds[row]));
    problem.law == ContactLaw::Coulomb
        && problem.compliance.is_empty()
        && problem.cones.iter().all(simple)
        && !problem.has_least()
}

/// Whether all laws have a central path, and contacts have one normal row.
pub fn applies(problem: &ContactProblem) -> bool {
    let smooth = |cone: &Cone| cone.bounded || problem.carrier(cone).n_normal == 1;
    exists(problem) && problem.cones.iter().all(smooth)
}

/// Clears the normal impulses of open contacts, x < r y: on the path every contact carries load.
pub fn release_open(problem: &ContactProblem, x: &mut [f64]) {
    for row in problem.cones.iter().filter(|cone| !cone.bounded).flat_map(Cone::normal) {
        if x[row] < problem.at.weight[row] * problem.at.slip[row] {
            x[row] = 0.0;
        }
    }
}

fn is_equation([low, high]: [f64; 2]) -> bool {
    low == f64::NEG_INFINITY && high == f64::INFINITY
}

pub fn refill(values: &mut Vec<f64>, n: usize) {
    values.clear();
    values.resize(n, 0.0);
}

pub fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn length_of(z: &[f64; 3]) -> f64 {
    dot(z, z).sqrt()
}

/// The friction entries of a contact; what it does not have is 0.
pub fn friction_of(cone: &Cone, values: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (o, value) in out.iter_mut().zip(&values[cone.friction()]) {
        *o = *value;
    }
    out
}

/// Start of the path, and the back-off after failed attempts.
#[derive(Debug, Default)]
pub struct PathStart {
    /// Where the solve started.
    pub start: Iterate,
    pub momentum: Vec<f64>,
    /// Solves to leave out, and how many were left out last.
    pub pause: (usize, usize),
}

impl PathStart {
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

    /// Records the outcome of an attempt.
    pub fn record_outcome(&mut self, succeeded: bool) {
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
