//! What attempts to solve along the central path have in common: when they are made, where they start, how
//! they finish.

use crate::problem::Cone;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::proximal::outer::ProximalNewton;
use crate::solver::residual::Residual;
use crate::solver::settings::CoreSettings;
use crate::solver::step_problem::StepProblem;
use std::time::Instant;

/// The speed that the first impulses stop is at least this times the unit of impulse over the largest mass.
const LEAST_SPEED: f64 = 1e-3;

/// Workspace, and what earlier solves taught.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Where the solve started.
    pub(crate) start: Iterate,
    pub(crate) momentum: Vec<f64>,
    /// Solves to leave out, and how many were left out last.
    pub(crate) pause: (usize, usize),
}

impl Attempts {
    /// Whether this solve, which starts from `residual`, should try if it can. A pile that creeps creeps on
    /// in the next step: after failures more and more solves are left out.
    pub(crate) fn is_due(&mut self, residual: &Residual, can: bool, settings: &CoreSettings) -> bool {
        let applies = residual.max() > settings.interior_above && can;
        if applies && self.pause.0 > 0 {
            self.pause.0 -= 1;
            return false;
        }
        applies
    }

    pub(crate) fn note(&mut self, succeeded: bool, settings: &CoreSettings) {
        let pause = if succeeded { 0 } else { (2 * self.pause.1 + 1).min(settings.interior_pause) };
        self.pause = (pause, pause);
    }

    /// Moves `iterate` to free motion, frozen there; returns the speed that the first impulses should stop: a
    /// part of the fastest approach.
    pub(crate) fn release(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        settings: &CoreSettings,
    ) -> f64 {
        iterate.copy_from(&self.start);
        let Iterate { velocity, impulse } = iterate;
        impulse.fill(0.0);
        problem.frozen().balance(impulse, &mut self.momentum, velocity);
        problem.refresh(velocity, impulse);
        let frozen = problem.frozen();
        let contacts = frozen.cones.iter().filter(|cone| !cone.bounded);
        let rows = contacts.flat_map(Cone::normal).filter(|row| frozen.at.weight[*row] > 0.0);
        let fastest = rows.map(|row| -frozen.at.slip[row]).fold(0.0, f64::max);
        let heaviest = frozen.mass.iter().map(|m| m[(0, 0)]).fold(0.0, f64::max);
        (settings.interior_start * fastest).max(LEAST_SPEED * frozen.scaling.momentum / heaviest)
    }
}

impl ProximalNewton {
    /// Newton on the statuses from `point`, where the problem is frozen with the residual `reached`;
    /// `iterate` moves to what it finds if that is better than `best`. Ends with the problem frozen at
    /// `point` again, unless it is solved. Returns the better.
    pub(crate) fn finish_on_modes(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        point: &mut Iterate,
        (best, reached): (Residual, Residual),
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Residual {
        if settings.active_set_iterations == 0 {
            return best;
        }
        let mut candidate = std::mem::take(&mut self.candidate);
        candidate.copy_from(point);
        let lower =
            self.try_active_set(problem, &mut candidate, reached, tolerance, deadline, settings, info);
        let improved = lower.max() < best.max();
        if improved {
            iterate.copy_from(&candidate);
        }
        self.candidate = candidate;
        let solves = lower.max() <= tolerance;
        if !solves {
            problem.refresh(&point.velocity, &mut point.impulse);
        }
        if improved { lower } else { best }
    }
}
