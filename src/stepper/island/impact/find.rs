//! Finds the velocities after an impact.

use super::approach::{Approach, strikes};
use super::problem::{free_velocity, gained, problem_at_end, with_rebound, work_missed};
use crate::contact::Pair;
use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::{Info, Iterate, LinearizedProblem, Run, SolveStatus, Solver};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;

/// Solves at most for the share of a rebound that does not raise the energy.
const MOST_SHARES: usize = 16;

/// That share is found where the impact keeps all energy but this part of what its impulses did.
const KEPT: f64 = 1e-9;

/// Impacts of small islands are solved to this part of the tolerance where a few more iterations do it:
/// nothing damps what they leave.
const POLISH: f64 = 1e-4;
const POLISH_ITERATIONS: usize = 9;

/// A rise of energy up to this part of what the impulses did to the free velocities is rounding.
const ROUNDING: f64 = 1e-12;

/// Solves at most until torsional radii and normals are those of the impulses.
const MOST_ROUNDS: usize = 25;

/// A torsional radius is the same up to this part, and a normal up to this angle.
const SAME: f64 = 1e-10;

/// Velocities and impulses of an impact.
#[derive(Debug)]
pub struct Impact {
    /// ν⁺ and Λ.
    pub iterate: Iterate,
    /// How its solve ended.
    pub status: SolveStatus,
    /// What it cost.
    pub info: Info,
}

/// The problem of an impact, and what it cost so far.
struct Search<'a> {
    base: ContactProblem,
    approach: Approach,
    free: Vec<f64>,
    start: &'a [f64],
    n_contacts: usize,
    /// What forces did less in the step than between its velocities (J).
    missed: f64,
    is_small: bool,
    run: Run,
    spent: &'a mut Info,
}

/// A solution with a share of the rebound.
struct Found {
    iterate: Iterate,
    status: SolveStatus,
    /// By how much the energy rose, as a part of what the impulses did.
    rise: f64,
}

impl Impact {
    /// The impact at the end of a step of an island whose problem is solved by an iterate, and linearized
    /// there; None where nothing strikes.
    pub fn find(
        problem: &mut IslandProblem,
        iterate: &Iterate,
        context: &StepContext<'_>,
        run: &Run,
    ) -> Option<Self> {
        if !(context.has_impacts && context.flies()) {
            return None;
        }
        let before = before(problem, context);
        if !strikes((problem, iterate), context, &before) {
            return None;
        }
        let kept = (problem.pairs.clone(), problem.problem.cones.clone(), problem.problem.at.clone());
        let mut spent = Info::default();
        let mut found = Iterate { velocity: Vec::new(), impulse: iterate.impulse.clone() };
        let mut status = SolveStatus::Solved;
        for _ in 0..MOST_ROUNDS {
            let solved = Self::solve((problem, iterate), (&before, &found.impulse), context, run, &mut spent);
            (found, status) = (solved.iterate, solved.status);
            let frame = |pair: &Pair| (pair.torsion_radius, pair.geometry.normal);
            let frames: Vec<_> = problem.pairs.iter().map(frame).collect();
            let mut carried = found.impulse.clone();
            for c in 0..problem.pairs.len() {
                problem.carry(context, &iterate.velocity, &mut carried, c);
            }
            let moved = |(pair, (radius, normal)): (&Pair, &(f64, Vector3<f64>))| {
                let turned = (pair.geometry.normal - normal).amax() > SAME;
                turned || (pair.torsion_radius - radius).abs() > SAME * radius
            };
            if !status.is_solved() || !problem.pairs.iter().zip(&frames).any(moved) {
                break;
            }
        }
        (problem.pairs, problem.problem.cones, problem.problem.at) = kept;
        Some(Self { iterate: found, status, info: spent })
    }

    fn solve(
        (island, at): (&IslandProblem, &Iterate),
        (before, start): (&[f64], &[f64]),
        context: &StepContext<'_>,
        run: &Run,
        spent: &mut Info,
    ) -> Found {
        let mut base = problem_at_end((island, at), context);
        let free = free_velocity(&base);
        let approach = Approach::of((island, at), context, before, &free);
        base.at.slip.iter_mut().zip(&approach.prescribed).for_each(|(y, own)| *y += own);
        let is_small = island.bodies.len() <= run.methods.small_island;
        let mut search = Search {
            missed: work_missed((island, at), context, [before, &free]),
            free,
            base,
            approach,
            start,
            n_contacts: island.pairs.len(),
            is_small,
            run: if is_small { run.small_island() } else { *run },
            spent,
        };
        search.find()
    }
}

impl Search<'_> {
    /// Newton's law may raise the energy where friction turns slip round: as much of the rebound stays as
    /// does not.
    fn find(&mut self) -> Found {
        let whole = self.solve(1.0);
        if whole.rise <= ROUNDING || !whole.status.is_solved() {
            return whole;
        }
        let mut found = self.solve(0.0);
        let (mut low, mut high, mut was_high) = ((0.0, found.rise), (1.0, whole.rise), None);
        for _ in 0..MOST_SHARES {
            if !found.status.is_solved() || found.rise > -KEPT {
                break;
            }
            // False position; of an end that stays again the rise counts half (Illinois).
            let share = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let trial = self.solve(share);
            let is_high = trial.rise > ROUNDING || !trial.status.is_solved();
            let again = if was_high == Some(is_high) { 0.5 } else { 1.0 };
            was_high = Some(is_high);
            if is_high {
                (high, low.1) = ((share, trial.rise), low.1 * again);
            } else {
                (low, high.1) = ((share, trial.rise), high.1 * again);
                found = trial;
            }
        }
        found
    }

    fn solve(&mut self, share: f64) -> Found {
        let Self { base, approach, free, n_contacts, spent, .. } = self;
        let mut problem = LinearizedProblem::new(with_rebound(base, approach, share), &approach.bears);
        let mut iterate = Iterate { velocity: free.clone(), impulse: self.start.to_vec() };
        base.balance(&iterate.impulse, &mut Vec::new(), &mut iterate.velocity);
        let mut info = Info::default();
        let mut solver = Solver::default();
        let mut status = solver.solve(&mut problem, &mut iterate, &self.run, &mut info);
        let goal = POLISH * self.run.tolerance;
        if self.is_small && status.is_solved() && info.residual.exceeds(goal) {
            let polish = self.run.polish(goal, info.iterations, POLISH_ITERATIONS);
            let ended = solver.solve(&mut problem, &mut iterate, &polish, &mut info);
            status = if info.residual.exceeds(self.run.tolerance) { ended } else { status };
        }
        spent.iterations += info.iterations;
        spent.sweeps += info.sweeps;
        spent.factorizations += info.factorizations;
        spent.residual = info.residual;
        let [gain, scale] = gained(base, *n_contacts, &iterate, free);
        let rise = if scale > 0.0 { (gain + self.missed) / scale } else { 0.0 };
        Found { iterate, status, rise }
    }
}

/// Velocities before the step, once what acts at its start has acted.
fn before(island: &IslandProblem, context: &StepContext<'_>) -> Vec<f64> {
    let mut before = Vec::with_capacity(BLOCK * island.bodies.len());
    for (local, &id) in island.bodies.iter().enumerate() {
        let (v, loads) = (&context.velocities[id], context.loads);
        let linear = v.linear + loads.linear_impulse[id] / context.models.bodies[id].mass;
        let inverse = island.problem.mass_inverse[local].fixed_view::<3, 3>(3, 3).into_owned();
        let angular = v.angular + inverse * loads.angular_impulse[id];
        before.extend(linear.iter().chain(angular.iter()));
    }
    before
}
