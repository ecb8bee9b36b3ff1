//! Strategy: start of the next attempt of a stuck solve. Restarts follow other central paths first, then
//! start cold, from scattered impulses, and by ADMM, in turn.

use crate::problem::ContactProblem;
use crate::solver::central_path;
use crate::solver::law::Law;
use crate::solver::linearized_problem::LinearizedProblem;
use crate::solver::parameters::central_path::PATH_BELOW_TOLERANCE;
use crate::solver::parameters::proximal::AFTER_PATH_RHO;
use crate::solver::parameters::strategy::{ADMM_ITERATIONS_RESTART, SCATTER_MAX, SCATTER_MIN, SEED};
use crate::solver::path::follow::PathAttempt;
use crate::solver::residual::Residual;
use crate::solver::step_problem::{Hint, Query, StepProblem};
use crate::solver::strategies::state::{NewtonStart, Outcome, SolveState};
use rand::RngExt;

/// Start of a restart other than a path: moves the iterate, which is the best one, and returns ρ.
type RestartStart = fn(&mut SolveState<'_>, &mut dyn StepProblem) -> f64;

/// Restarts other than paths, in turn.
const STARTS: [RestartStart; 3] = [cold, scattered, by_admm];

/// Problem whose central path a restart follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathOf {
    /// Problem of the step: the geometry is refreshed on the way. Such paths of many bodies with manifolds
    /// lead nowhere; with few bodies, and far from a solution, they lead past the best iterate.
    Step,
    /// Problem linearized at the best iterate.
    Linearized,
}

/// Moves the iterate to the next start. Stops the solve when no restart is left.
pub fn restart(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> Outcome {
    let path = state.path_of(problem.linearized());
    let options = state.context.options;
    let (restarts, paths) = (state.context.info.restarts, path.map_or(0, |_| options.methods.path_restarts));
    if restarts >= options.restarts.max(paths) {
        return Outcome::Stop(state.stuck);
    }
    problem.hint(Hint::Restart);
    let along_path = path.filter(|_| restarts < paths).and_then(|path| state.follow_path(problem, path));
    state.newton_start = match along_path {
        Some(residual) => {
            let stall_iterations = options.stall_iterations_after_path;
            NewtonStart { residual, rho: AFTER_PATH_RHO, stall_iterations }
        }
        None => {
            let rho = STARTS[restarts % STARTS.len()](state, problem);
            let residual = problem.refresh(&state.iterate.velocity, &mut state.iterate.impulse);
            NewtonStart { residual, rho, stall_iterations: options.stall_iterations }
        }
    };
    state.context.info.restarts += 1;
    Outcome::Next
}

/// No impulses, and the velocities that balance them.
fn cold(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> f64 {
    state.iterate.impulse.fill(0.0);
    state.iterate.balance(problem.linearized());
    state.context.options.cold_rho
}

/// Impulses scattered by a fifth.
fn scattered(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> f64 {
    let SolveState { iterate, random, context, .. } = state;
    iterate.impulse.iter_mut().for_each(|x| *x *= random.random_range(SCATTER_MIN..SCATTER_MAX));
    Law::move_into_cones(problem.linearized(), &mut iterate.impulse);
    context.options.warm_rho
}

/// Result of ADMM from the best iterate.
fn by_admm(state: &mut SolveState<'_>, problem: &mut dyn StepProblem) -> f64 {
    let SolveState { iterate, work, context, .. } = state;
    problem.refresh(&iterate.velocity, &mut iterate.impulse);
    let (linearized, options) = (problem.linearized(), &context.options);
    let _ = work.admm.run(linearized, iterate, ADMM_ITERATIONS_RESTART, options, context.info);
    options.cold_rho
}

impl SolveState<'_> {
    /// Problem whose path restarts from the best iterate follow, if they follow one.
    fn path_of(&mut self, linearized: &ContactProblem) -> Option<PathOf> {
        let options = self.context.options;
        let is_small = linearized.n_bodies() <= options.methods.small_island;
        let is_near = self.work.best.residual.max() < options.methods.path_linearized_below;
        let path = match (central_path::applies(linearized), is_small) {
            (true, false) => PathOf::Step,
            _ if is_near => PathOf::Linearized,
            (_, true) => PathOf::Step,
            (false, false) => return None,
        };
        let applies = options.methods.path_iterations > 0
            && options.tolerance < PATH_BELOW_TOLERANCE
            && central_path::exists(linearized)
            && self.has_lu(linearized);
        applies.then_some(path)
    }

    /// Follows the next path; the first path is the unweighted one if the solve did not begin with it.
    /// Returns the residual at its end. None if the path led nowhere: from the same iterate the proximal
    /// method would end as it did. Problems with manifolds go on all the same, as the restart readmitted
    /// their excluded contact points.
    fn follow_path(&mut self, problem: &mut dyn StepProblem, path: PathOf) -> Option<Residual> {
        let Self { iterate, work, context, .. } = self;
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let restarts = context.info.restarts;
        let is_first =
            restarts == 0 && problem.linearized().n_bodies() <= context.options.methods.path_above_bodies;
        let weights = (!is_first).then(|| SEED.wrapping_add(restarts as u64));
        // An iterate that repelled the proximal method is no start, however near: the end of a path is
        // better.
        let to_beat = Residual { momentum: f64::INFINITY, ..Residual::default() };
        let smooth = central_path::applies(problem.linearized());
        let attempt = PathAttempt { to_beat, weights, leads: smooth };
        // Beside its equivalent contact point a manifold would carry a small load where it is open.
        let moved = if path == PathOf::Step {
            let (residual, moved) = work.path.run(problem, iterate, attempt, &mut work.active_set, context);
            if smooth {
                return moved.then_some(residual);
            }
            central_path::release_open(problem.linearized(), &mut iterate.impulse);
            moved
        } else {
            // The path loads every contact point of a manifold. Points that come and go on the way would
            // leave no path to follow.
            let mut active = vec![true; problem.linearized().n_rows()];
            problem.answer(Query::ActiveRows { impulse: &iterate.impulse, active: &mut active });
            let mut linearized = LinearizedProblem::new(problem.linearized().clone(), &active);
            let (_, moved) = work.path.run(&mut linearized, iterate, attempt, &mut work.active_set, context);
            central_path::release_open(linearized.linearized(), &mut iterate.impulse);
            moved
        };
        let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        (moved || !smooth).then_some(reached)
    }
}
