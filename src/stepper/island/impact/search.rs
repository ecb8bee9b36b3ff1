//! Solves an impact, with the largest fraction of its rebound that does not raise the energy.

use super::problem::{Goals, gained, with_goals};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{
    Info, Iterate, LinearizedProblem, SolveOptions, SolveStatus, Solver, StepProblem,
};

/// Most solves for the fraction of a rebound that does not raise the energy.
const MOST_SHARES: usize = 16;

/// The fraction is found where the impact loses at most this part of the work of its impulses.
const KEPT: f64 = 1e-9;

/// Impacts of small islands are solved to this residual where a few more iterations suffice: nothing damps
/// the error of an impact.
const POLISHED: f64 = 1e-12;
const POLISH_ITERATIONS: usize = 9;

/// Fraction of the residual that would suffice to which points are solved, if their sum exceeds the tolerance
/// at the centre although each is solved.
const CENTER_PART: f64 = 0.5;

/// Largest rise of energy, over the work of the impulses on the free velocities, that counts as rounding.
const ROUNDING: f64 = 1e-12;

/// The problem of an impact, and the work spent on it so far.
pub(super) struct Search<'a> {
    pub base: ContactProblem,
    pub goals: Goals,
    /// Velocities without any impulse.
    pub free: Vec<f64>,
    /// Impulses of the start.
    pub start: &'a [f64],
    pub n_contacts: usize,
    /// Rise of the energy before this problem (J), and the sum of the work of impulses until then.
    pub before: [f64; 2],
    pub is_small: bool,
    pub run: SolveOptions,
    pub spent: &'a mut Info,
}

/// A solution with a fraction of the rebound.
pub(super) struct Found {
    pub iterate: Iterate,
    pub status: SolveStatus,
    /// Residual in the units of its problem.
    pub residual: f64,
    /// Rise of the energy so far (J), and the sum of the work of impulses.
    pub work: [f64; 2],
}

impl Found {
    /// Rise of the energy, as a part of the work of the impulses.
    fn rise(&self) -> f64 {
        let [gain, scale] = self.work;
        if scale > 0.0 { gain / scale } else { 0.0 }
    }
}

impl Search<'_> {
    /// Finds the impact with the largest fraction of the rebound that does not raise the energy; a rebound
    /// may raise it where friction reverses slip.
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
            // False position; the rise at an end that stays twice counts half (Illinois).
            let share = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            // All trials start alike: another start may lead to another branch.
            let mut trial = self.solve(share, start);
            if !trial.status.is_solved() {
                trial = self.solve(share, &found.iterate.impulse);
            }
            let is_solved = trial.status.is_solved();
            let is_high = trial.rise() > ROUNDING || !is_solved;
            let again = if was_high == Some(is_high) { 0.5 } else { 1.0 };
            was_high = Some(is_high);
            if is_high {
                // An unsolved trial says nothing about the energy.
                let rise = if is_solved { trial.rise() } else { high.1 };
                (high, low.1) = ((share, rise), low.1 * again);
            } else {
                (low, high.1) = ((share, trial.rise()), high.1 * again);
                found = trial;
            }
        }
        found
    }

    /// Solves with a fraction of the rebound, from these impulses.
    pub fn solve(&mut self, share: f64, start: &[f64]) -> Found {
        let Self { base, goals, free, n_contacts, spent, .. } = self;
        let mut problem = LinearizedProblem::new(with_goals(base, goals, share), &goals.bears);
        let mut iterate = Iterate { velocity: free.clone(), impulse: start.to_vec() };
        // No method moves rows that may not carry load.
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
        // The work of friction is taken at the contact point of the impulses.
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let rebound = goals.rebound.iter().map(|rebound| share * rebound);
        let [gain, scale] = gained(problem.linearized(), rebound, *n_contacts, (&iterate, free));
        let residual = info.residual.max();
        Found { iterate, status, residual, work: [self.before[0] + gain, self.before[1] + scale] }
    }
}
