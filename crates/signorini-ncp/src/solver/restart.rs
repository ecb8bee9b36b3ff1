//! Where a stuck solve starts again: along other central paths, then cold, scattered, or by alternating
//! directions.

use crate::solver::central_path;
use crate::solver::context::Context;
use crate::solver::iterate::Iterate;
use crate::solver::law::Law;
use crate::solver::linearized_problem::LinearizedProblem;
use crate::solver::parameters::central_path::PATH_BELOW_TOLERANCE;
use crate::solver::parameters::proximal::AFTER_PATH_RHO;
use crate::solver::parameters::strategy::{ADMM_ITERATIONS_RESTART, SCATTER_MAX, SCATTER_MIN, SEED};
use crate::solver::path::follow::PathAttempt;
use crate::solver::residual::Residual;
use crate::solver::stages::{Restart, Stages, balance, fetch_rows, is_lu};
use crate::solver::step_problem::{Hint, Query, StepProblem};
use rand::RngExt;
use rand_pcg::Pcg64;

/// What a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathOf {
    /// The step's problem: the geometry is refreshed on the way. Of many bodies with manifolds such paths
    /// lead nowhere; where they are few and the best iterate is far from a solution they get past it.
    Step,
    /// The problem linearized at the best iterate.
    Linearized,
}

impl Stages {
    /// The next start when stuck at the best iterate, along another path or in other ways; None when there
    /// are no more.
    pub fn restart(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        random: &mut Pcg64,
        context: &mut Context<'_>,
    ) -> Option<Restart> {
        let path = self.path_of(problem, context);
        let paths = path.map_or(0, |_| context.options.methods.path_restarts);
        if context.info.restarts >= context.options.restarts.max(paths) {
            return None;
        }
        fetch_rows(problem, iterate);
        problem.hint(Hint::Restart);
        let path = path.filter(|_| context.info.restarts < paths);
        if let Some(residual) = path.and_then(|path| self.along_another_path(problem, iterate, path, context))
        {
            return Some(Restart {
                residual,
                rho: AFTER_PATH_RHO,
                stall_iterations: context.options.stall_iterations_after_path,
            });
        }
        let rho = self.start_otherwise(problem, iterate, random, context);
        let residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        Some(Restart { residual, rho, stall_iterations: context.options.stall_iterations })
    }

    /// What restarts from the best iterate follow a path of, if they do.
    fn path_of(&mut self, problem: &dyn StepProblem, context: &mut Context<'_>) -> Option<PathOf> {
        let (linearized, methods) = (problem.linearized(), context.options.methods);
        let is_small = linearized.n_bodies() <= methods.small_island;
        let is_near = self.best.residual.max() < methods.path_linearized_below;
        let path = match (central_path::applies(linearized), is_small) {
            (true, false) => PathOf::Step,
            _ if is_near => PathOf::Linearized,
            (_, true) => PathOf::Step,
            (false, false) => return None,
        };
        let applies = methods.path_iterations > 0
            && context.options.tolerance < PATH_BELOW_TOLERANCE
            && central_path::exists(linearized)
            && is_lu(linearized, context);
        applies.then_some(path)
    }

    /// The restart along the next path; the first is the unweighted one where the solve did not begin with
    /// it. Returns the residual there. None where the path led nowhere: from the same iterate the proximal
    /// method would end as it did. Not so with manifolds, which forgot what they excluded.
    fn along_another_path(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        path: PathOf,
        context: &mut Context<'_>,
    ) -> Option<Residual> {
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let restarts = context.info.restarts;
        let is_first =
            restarts == 0 && problem.linearized().n_bodies() <= context.options.methods.path_above_bodies;
        let weights = (!is_first).then(|| SEED.wrapping_add(restarts as u64));
        // What repelled the proximal method is no start, however near: the end of a path is better.
        let to_beat = Residual { momentum: f64::INFINITY, ..Residual::default() };
        let smooth = central_path::applies(problem.linearized());
        let attempt = PathAttempt { to_beat, weights, leads: smooth };
        // Beside its equivalent contact point a manifold would bear a little where it is open.
        let moved = if path == PathOf::Step {
            let (residual, moved) = self.path.run(problem, iterate, attempt, &mut self.active_set, context);
            if smooth {
                return moved.then_some(residual);
            }
            central_path::release_open(problem.linearized(), &mut iterate.impulse);
            moved
        } else {
            // The path loads all points of a manifold. Those that come and go on the way would leave nothing
            // to follow.
            let mut active = vec![true; problem.linearized().n_rows()];
            problem.answer(Query::ActiveRows { impulse: &iterate.impulse, active: &mut active });
            let mut linearized = LinearizedProblem::new(problem.linearized().clone(), &active);
            let (_, moved) = self.path.run(&mut linearized, iterate, attempt, &mut self.active_set, context);
            central_path::release_open(linearized.linearized(), &mut iterate.impulse);
            moved
        };
        let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        (moved || !smooth).then_some(reached)
    }

    /// Where to start again otherwise, in turn: cold; impulses scattered by a fifth; alternating directions.
    /// Returns the ρ to start with. `iterate` is the best one when called.
    fn start_otherwise(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        random: &mut Pcg64,
        context: &mut Context<'_>,
    ) -> f64 {
        let options = &context.options;
        match context.info.restarts % 3 {
            0 => {
                iterate.impulse.fill(0.0);
                balance(problem.linearized(), iterate);
                options.cold_rho
            }
            1 => {
                iterate.impulse.iter_mut().for_each(|x| *x *= random.random_range(SCATTER_MIN..SCATTER_MAX));
                Law::move_into_cones(problem.linearized(), &mut iterate.impulse);
                options.warm_rho
            }
            _ => {
                problem.refresh(&iterate.velocity, &mut iterate.impulse);
                let linearized = problem.linearized();
                let _ = self.admm.run(linearized, iterate, ADMM_ITERATIONS_RESTART, options, context.info);
                options.cold_rho
            }
        }
    }
}
