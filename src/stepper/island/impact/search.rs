//! Solves an impact, with as much of its rebound as does not raise the energy.

use super::problem::{Goals, gained, with_goals};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{Info, Iterate, LinearizedProblem, Run, SolveStatus, Solver, StepProblem};

/// Solves at most for the share of a rebound that does not raise the energy.
const MOST_SHARES: usize = 16;

/// That share is found where the impact keeps all energy but this part of what its impulses did.
const KEPT: f64 = 1e-9;

/// Impacts of small islands are solved to this residual where a few more iterations do it: nothing damps what
/// they leave.
const POLISHED: f64 = 1e-12;
const POLISH_ITERATIONS: usize = 9;

/// Where points that are solved each leave too much at their centre, they are solved to this part of what
/// would do.
const CENTER_PART: f64 = 0.5;

/// A rise of energy up to this part of what the impulses did to the free velocities is rounding.
const ROUNDING: f64 = 1e-12;

/// The problem of an impact, and what it cost so far.
pub(super) struct Search<'a> {
    pub base: ContactProblem,
    pub goals: Goals,
    /// The velocities without any impulse.
    pub free: Vec<f64>,
    /// The impulses to start with.
    pub start: &'a [f64],
    pub n_contacts: usize,
    /// By how much the energy rose before (J), and what impulses did to velocities then.
    pub before: [f64; 2],
    pub is_small: bool,
    pub run: Run,
    pub spent: &'a mut Info,
}

/// A solution with a share of the rebound.
pub(super) struct Found {
    pub iterate: Iterate,
    pub status: SolveStatus,
    /// In the units of its problem.
    pub residual: f64,
    /// By how much the energy rose (J) so far, and the sum of what impulses did to velocities.
    pub work: [f64; 2],
}

impl Found {
    /// By how much the energy rose, as a part of what the impulses did.
    fn rise(&self) -> f64 {
        let [gain, scale] = self.work;
        if scale > 0.0 { gain / scale } else { 0.0 }
    }
}

impl Search<'_> {
    /// A rebound may raise the energy where friction turns slip round: as much of it stays as does not.
    pub fn find(&mut self) -> Found {
        let start = self.start;
        let whole = self.solve(1.0, start);
        if whole.rise() <= ROUNDING || !whole.status.is_solved() {
            return whole;
        }
        let mut found = self.solve(0.0, start);
        let (mut low, mut high, mut was_high) = ((0.0, found.rise()), (1.0, whole.rise()), None);
        for _ in 0..MOST_SHARES {
            if !found.status.is_solved() || found.rise() > -KEPT {
                break;
            }
            // False position; of an end that stays again the rise counts half (Illinois).
            let share = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            // All from the same start: from another they may be on another branch.
            let mut trial = self.solve(share, start);
            if !trial.status.is_solved() {
                trial = self.solve(share, &found.iterate.impulse);
            }
            let is_solved = trial.status.is_solved();
            let is_high = trial.rise() > ROUNDING || !is_solved;
            let again = if was_high == Some(is_high) { 0.5 } else { 1.0 };
            was_high = Some(is_high);
            if is_high {
                // What is not solved tells nothing of the energy.
                let rise = if is_solved { trial.rise() } else { high.1 };
                (high, low.1) = ((share, rise), low.1 * again);
            } else {
                (low, high.1) = ((share, trial.rise()), high.1 * again);
                found = trial;
            }
        }
        found
    }

    /// Solves with a share of the rebound, from these impulses.
    pub fn solve(&mut self, share: f64, start: &[f64]) -> Found {
        let Self { base, goals, free, n_contacts, spent, .. } = self;
        let mut problem = LinearizedProblem::new(with_goals(base, goals, share), &goals.bears);
        let mut iterate = Iterate { velocity: free.clone(), impulse: start.to_vec() };
        // No method moves rows that may not bear.
        let closed = iterate.impulse.iter_mut().zip(&goals.bears);
        closed.filter(|(_, bears)| !**bears).for_each(|(x, _)| *x = 0.0);
        base.balance(&iterate.impulse, &mut Vec::new(), &mut iterate.velocity);
        let mut info = Info::default();
        let mut solver = Solver::default();
        let mut status = solver.solve(&mut problem, &mut iterate, &self.run, &mut info);
        let goal = if self.is_small {
            POLISHED
        } else {
            let off = problem.off_at_centers(*n_contacts, &iterate.impulse);
            if off > self.run.tolerance {
                CENTER_PART * self.run.tolerance * (self.run.tolerance / off)
            } else {
                f64::INFINITY
            }
        };
        if status.is_solved() && info.residual.exceeds(goal) {
            let polish = self.run.polish(goal, info.iterations, POLISH_ITERATIONS);
            let ended = solver.solve(&mut problem, &mut iterate, &polish, &mut info);
            status = if info.residual.exceeds(self.run.tolerance) { ended } else { status };
        }
        spent.iterations += info.iterations;
        spent.sweeps += info.sweeps;
        spent.factorizations += info.factorizations;
        spent.residual = info.residual;
        // Friction did what it did where the impulses have the contact point.
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let rebound = goals.rebound.iter().map(|rebound| share * rebound);
        let [gain, scale] = gained(problem.linearized(), rebound, *n_contacts, (&iterate, free));
        let residual = info.residual.max();
        Found { iterate, status, residual, work: [self.before[0] + gain, self.before[1] + scale] }
    }
}
