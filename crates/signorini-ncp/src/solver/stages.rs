//! The stages of a solve that one method serves each, with the workspaces of the methods.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::active_set::ActiveSet;
use crate::solver::admm::Admm;
use crate::solver::best::Best;
use crate::solver::context::Context;
use crate::solver::info::Info;
use crate::solver::interior_point::method::InteriorPoint;
use crate::solver::iterate::Iterate;
use crate::solver::options::LinearSolver;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::central_path::PATH_BELOW_TOLERANCE;
use crate::solver::parameters::proximal::{AFTER_PATH_RHO, AT_REST_BELOW_RESIDUAL, AT_REST_RHO};
use crate::solver::parameters::strategy::{ADMM_ITERATIONS_COLD, FIRST_ORDER_ABOVE_RESIDUAL};
use crate::solver::parameters::sweeps::MAX_SWEEPS_COLD;
use crate::solver::path::follow::{PathAttempt, PathFollower};
use crate::solver::proximal::outer::{ProximalNewton, ProximalStart};
use crate::solver::residual::Residual;
use crate::solver::status::{Phase, SolveStatus};
use crate::solver::step_problem::{Hint, StepProblem};
use crate::solver::sweeps::{self, Goal, Start, Sweeps};

/// The methods of the stages with their workspaces.
#[derive(Debug, Default)]
pub struct Stages {
    pub proximal: ProximalNewton,
    pub active_set: ActiveSet,
    pub interior: InteriorPoint,
    pub path: PathFollower,
    pub sweeps: Sweeps,
    /// What overlaps count, per cone.
    pub overlap: Vec<f64>,
    pub admm: Admm,
    pub best: Best,
    pub trial: Iterate,
}

/// How a stage ended.
pub enum Stage {
    /// The solve is over: solved, or spent.
    Ended(SolveStatus),
    /// A restart may help.
    Stuck(SolveStatus),
}

/// What the next attempt of proximal Newton starts with.
#[derive(Clone, Copy)]
pub struct Restart {
    pub residual: Residual,
    pub rho: f64,
    pub stall_iterations: usize,
}

impl Stages {
    /// The start becomes the best iterate, with its residual if that is known. Returns the ρ to begin with.
    ///
    /// # Errors
    /// When its residual is not a number.
    pub fn start(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        known: Option<Residual>,
        context: &mut Context<'_>,
    ) -> Result<f64, ()> {
        problem.hint(Hint::RowsOnHost(false));
        let residual = known.unwrap_or_else(|| problem.refresh(&iterate.velocity, &mut iterate.impulse));
        if residual.max().is_nan() {
            context.info.residual = residual;
            return Err(());
        }
        self.best.set(iterate, residual);
        Ok(self.start_rho(&context.options))
    }

    /// The ρ that suits the best iterate.
    pub fn start_rho(&self, options: &SolveOptions) -> f64 {
        let warm = self.best.iterate.impulse.iter().any(|x| *x != 0.0);
        let rho = if warm { options.warm_rho } else { options.cold_rho };
        if self.best.residual.max() < AT_REST_BELOW_RESIDUAL { rho.max(AT_REST_RHO) } else { rho }
    }

    /// Sweeps and alternating directions from the best iterate, which becomes what lowers the true
    /// residual.
    pub fn first_order(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        context: &mut Context<'_>,
    ) {
        if self.best.residual.max() <= FIRST_ORDER_ABOVE_RESIDUAL {
            return;
        }
        fetch_rows(problem, iterate);
        for phase in [Phase::Sweeps, Phase::Admm] {
            if self.best.residual.max() <= context.options.tolerance {
                break;
            }
            self.trial.copy_from(&self.best.iterate);
            let (linearized, trial) = (problem.linearized(), &mut self.trial);
            if phase == Phase::Sweeps {
                if !sweeps::applies(linearized) {
                    continue;
                }
                let x = std::mem::take(&mut trial.impulse);
                let goal = Goal {
                    residual: context.options.tolerance,
                    most: MAX_SWEEPS_COLD,
                    stiff: true,
                    damps: false,
                };
                let start = Start { x: &x, overlap: &[] };
                context.info.sweeps +=
                    self.sweeps.run(linearized, start, goal, &context.options, trial).sweeps;
            } else {
                // Without factors this phase is left out; proximal Newton damps them by ρ and may still have
                // some.
                let _ =
                    self.admm.run(linearized, trial, ADMM_ITERATIONS_COLD, &context.options, context.info);
            }
            let reached = problem.refresh(&self.trial.velocity, &mut self.trial.impulse);
            if self.best.keep_if_better(&self.trial, reached) {
                context.info.phase = phase;
            } else {
                problem.refresh(&self.best.iterate.velocity, &mut self.best.iterate.impulse);
            }
        }
    }

    /// The central path, in small islands by the interior point, in large ones by its length, where it is
    /// due. `iterate` and the best move to what it found; `rho` is what the proximal method should go on
    /// with.
    pub fn central_path(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        rho: &mut f64,
        context: &mut Context<'_>,
    ) {
        // Pairs on a device know the derivatives of the proximal point only: their rows have to be fetched,
        // unless all is to be solved where they are.
        let options = context.options;
        let on_device = problem.parts().1.is_some();
        let stays = on_device && options.linear_solver == LinearSolver::Krylov;
        if stays || options.tolerance >= PATH_BELOW_TOLERANCE {
            return;
        }
        let before = self.best.residual;
        let linearized = problem.linearized();
        let follows = linearized.n_bodies() > options.methods.path_above_bodies
            && options.methods.path_iterations > 0
            && is_lu(linearized, context);
        let is_due = if follows {
            self.path.is_due(&before, linearized, &options.methods)
        } else {
            self.interior.is_due(&before, linearized, &options)
        };
        if !is_due {
            return;
        }
        fetch_rows(problem, iterate);
        let mut residual = if follows {
            let attempt = PathAttempt { to_beat: before, weights: None, leads: false };
            self.path.run(problem, iterate, attempt, &mut self.active_set, context).0
        } else {
            self.interior.run(problem, iterate, before, &mut self.active_set, context)
        };
        if follows && residual.max() < before.max() {
            *rho = rho.max(AFTER_PATH_RHO);
        }
        context.info.phase = Phase::InteriorPoint;
        self.best.set(iterate, residual);
        if on_device && residual.max() > options.tolerance {
            problem.hint(Hint::RowsOnHost(false));
            residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            self.best.residual = residual;
        }
    }

    /// Proximal Newton until it ends or is stuck, then back to the best iterate.
    pub fn newton(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        (from, spent): (Restart, usize),
        context: &mut Context<'_>,
    ) -> Stage {
        let before = context.info.iterations;
        let iterations = context.options.iterations.saturating_sub(spent);
        let Restart { residual, rho, stall_iterations } = from;
        let start = ProximalStart { residual, rho, iterations, stall_iterations };
        let status = self.proximal.run(problem, iterate, start, &mut self.active_set, context);
        if context.info.iterations > before {
            context.info.phase = if context.info.restarts > 0 { Phase::Restart } else { Phase::Newton };
        }
        if status == SolveStatus::Solved {
            return Stage::Ended(status);
        }
        self.return_to_best(problem, iterate, context.info);
        if self.best.residual.max() <= context.options.tolerance {
            return Stage::Ended(SolveStatus::Solved);
        }
        match status {
            SolveStatus::Stalled | SolveStatus::FactorizationFailed => Stage::Stuck(status),
            _ => Stage::Ended(status),
        }
    }

    /// Moves `iterate`, which ended with `info.residual`, to the best one, and linearizes the problem there.
    pub fn return_to_best(&mut self, problem: &mut dyn StepProblem, iterate: &mut Iterate, info: &mut Info) {
        if let Some(kept) = problem.return_to_best(&mut iterate.velocity, &mut iterate.impulse) {
            info.residual = kept;
        } else if info.residual.exceeds(self.best.residual.max()) {
            iterate.copy_from(&self.best.iterate);
            info.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        self.best.set(iterate, info.residual);
    }
}

/// Whether the matrix of this problem is factorised so that the sign of its determinant is known.
pub fn is_lu(problem: &ContactProblem, context: &mut Context<'_>) -> bool {
    context.newton.prepare(problem, &context.options);
    context.newton.system.is_lu()
}

/// What is not Newton's method looks at the rows themselves.
pub fn fetch_rows(problem: &mut dyn StepProblem, iterate: &mut Iterate) {
    if problem.parts().1.is_some() {
        problem.hint(Hint::RowsOnHost(true));
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
    }
}

/// v := A⁻¹ (b + Jᵀ x) where A is block-diagonal; coupled problems keep their velocities.
pub fn balance(problem: &ContactProblem, iterate: &mut Iterate) {
    if !problem.coupling.is_empty() {
        return;
    }
    problem.balance(&iterate.impulse, &mut Vec::new(), &mut iterate.velocity);
    debug_assert_eq!(iterate.velocity.len(), BLOCK * problem.n_bodies());
}
