//! Solves an impact, with the largest fraction of its rebound that does not raise the energy.

use super::problem::{Demands, gained, sum_over_struck, with_demands};
use crate::stepper::parameters::{
    CENTER_FRACTION, ENERGY_ROUNDING, KEPT_ENERGY, MAX_REBOUND_SOLVES, POLISH_ITERATIONS,
    POLISHED_IMPACT_RESIDUAL,
};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{
    Info, Iterate, LinearizedProblem, SolveOptions, SolveStatus, Solver, StepProblem,
};

/// The problem of an impact, and the work spent on it so far.
pub(super) struct ReboundSearch<'a> {
    pub base: ContactProblem,
    pub demands: Demands,
    /// Velocities without any impulse.
    pub free: Vec<f64>,
    /// Impulses of the start.
    pub start: &'a [f64],
    pub n_contacts: usize,
    /// Rise of the energy before this problem (J), and the sum of the work of impulses until then.
    pub before: [f64; 2],
    /// Missing work of each body (J), which counts for those that are struck; none after a compression.
    pub missed: Vec<f64>,
    pub is_small: bool,
    /// Whether a solution keeps its problem.
    pub keeps_problem: bool,
    pub options: SolveOptions,
    pub spent: &'a mut Info,
}

/// A solution with a fraction of the rebound.
pub(super) struct Found {
    pub iterate: Iterate,
    pub status: SolveStatus,
    /// The problem as it was linearised last, where it is kept, and the part of the rebound that it has.
    pub problem: ContactProblem,
    pub fraction: f64,
    /// That rebound per row (m/s), where the problem is kept.
    pub rebound: Vec<f64>,
    /// Residual in the units of its problem.
    pub residual: f64,
    /// Rise of the energy so far (J), and the sum of the work of impulses.
    pub work: [f64; 2],
}

impl Found {
    /// Rise of the energy, as a fraction of the work of the impulses.
    fn rise(&self) -> f64 {
        let [gain, scale] = self.work;
        if scale > 0.0 { gain / scale } else { 0.0 }
    }
}

impl ReboundSearch<'_> {
    /// Finds the impact with the largest fraction of the rebound that does not raise the energy; a rebound
    /// may raise it where friction reverses slip.
    pub fn find(&mut self) -> Found {
        let start = self.start;
        let whole = self.solve(1.0, start);
        if whole.rise() <= ENERGY_ROUNDING || !whole.status.is_solved() {
            return whole;
        }
        let mut found = self.solve(0.0, start);
        let (mut low, mut high, mut was_high) = ((0.0, found.rise()), (1.0, whole.rise()), None);
        for _ in 0..MAX_REBOUND_SOLVES {
            if !found.status.is_solved() || found.rise() > -KEPT_ENERGY {
                break;
            }
            // False position; the rise at an end that stays twice counts half (Illinois).
            let fraction = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            // All trials start alike: another start may lead to another branch.
            let mut trial = self.solve(fraction, start);
            if !trial.status.is_solved() {
                trial = self.solve(fraction, &found.iterate.impulse);
            }
            let is_solved = trial.status.is_solved();
            let is_high = trial.rise() > ENERGY_ROUNDING || !is_solved;
            let again = if was_high == Some(is_high) { 0.5 } else { 1.0 };
            was_high = Some(is_high);
            if is_high {
                // An unsolved trial says nothing about the energy.
                let rise = if is_solved { trial.rise() } else { high.1 };
                (high, low.1) = ((fraction, rise), low.1 * again);
            } else {
                (low, high.1) = ((fraction, trial.rise()), high.1 * again);
                found = trial;
            }
        }
        found
    }

    /// Solves with a fraction of the rebound, from these impulses.
    pub fn solve(&mut self, fraction: f64, start: &[f64]) -> Found {
        let Self { base, demands, free, n_contacts, spent, .. } = self;
        let mut problem = LinearizedProblem::new(with_demands(base, demands, fraction), &demands.active);
        let mut iterate = Iterate { velocity: free.clone(), impulse: start.to_vec() };
        // No method moves rows that may not carry load.
        let closed = iterate.impulse.iter_mut().zip(&demands.active);
        closed.filter(|(_, active)| !**active).for_each(|(x, _)| *x = 0.0);
        base.balance(&iterate.impulse, &mut Vec::new(), &mut iterate.velocity);
        let mut info = Info::default();
        let mut solver = Solver::default();
        let options = self.options.after_work(spent.work);
        let mut status = solver.solve(&mut problem, &mut iterate, &options, &mut info);
        let target = if self.is_small {
            POLISHED_IMPACT_RESIDUAL
        } else {
            let off = problem.off_at_centers(*n_contacts, &iterate.impulse);
            if off > self.options.tolerance {
                CENTER_FRACTION * self.options.tolerance * (self.options.tolerance / off)
            } else {
                f64::INFINITY
            }
        };
        if status.is_solved() && info.residual.exceeds(target) {
            let polish = options.polish(target, info.iterations, POLISH_ITERATIONS);
            let ended = solver.solve(&mut problem, &mut iterate, &polish, &mut info);
            status = if info.residual.exceeds(self.options.tolerance) { ended } else { status };
        }
        spent.add_work(&info);
        spent.residual = info.residual;
        // The work of friction is taken at the contact point of the impulses.
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let rebound = demands.rebound.iter().map(|rebound| fraction * rebound);
        let [gain, scale] = gained(problem.linearized(), rebound, *n_contacts, (&iterate, free));
        let missed = sum_over_struck(problem.linearized(), &iterate.impulse, &self.missed);
        let residual = info.residual.max();
        let (mut kept, mut kept_rebound) = (ContactProblem::empty(), Vec::new());
        if self.keeps_problem {
            kept_rebound.extend(demands.rebound.iter().map(|rebound| fraction * rebound));
            kept.clone_from(problem.linearized());
            let idle = kept.bounds.iter_mut().zip(&demands.active).filter(|(_, active)| !**active);
            idle.for_each(|(bounds, _)| *bounds = [0.0; 2]);
        }
        Found {
            iterate,
            status,
            problem: kept,
            fraction,
            rebound: kept_rebound,
            residual,
            work: [self.before[0] + missed + gain, self.before[1] + scale],
        }
    }
}
