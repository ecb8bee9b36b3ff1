//! State of one solve: the iterate, the best iterate so far, and the workspaces of the methods.

use crate::problem::ContactProblem;
use crate::solver::admm::Admm;
use crate::solver::interior_point::method::InteriorPoint;
use crate::solver::iterate::{Best, Iterate};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::proximal::{AT_REST_BELOW_RESIDUAL, AT_REST_RHO};
use crate::solver::parameters::strategy::SEED;
use crate::solver::path::follow::PathFollower;
use crate::solver::proximal::active_set::ActiveSet;
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::outer::ProximalNewton;
use crate::solver::residual::Residual;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;
use crate::solver::sweeps::Sweeps;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// End of one strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The iterate is a solution.
    Converged,
    /// The next strategy of the list goes on from the iterate.
    Next,
    /// The solve ends without a solution.
    Stop(SolveStatus),
}

/// Workspaces of the methods, kept from one solve to the next.
#[derive(Debug, Default)]
pub struct Workspace {
    pub proximal: ProximalNewton,
    pub active_set: ActiveSet,
    pub interior: InteriorPoint,
    pub path: PathFollower,
    pub sweeps: Sweeps,
    /// Weight of an overlap in the residual, per cone.
    pub overlap: Vec<f64>,
    pub admm: Admm,
    pub best: Best,
    pub trial: Iterate,
}

/// Start of the next attempt of the proximal Newton method.
#[derive(Debug, Clone, Copy)]
pub struct NewtonStart {
    pub residual: Residual,
    pub rho: f64,
    pub stall_iterations: usize,
}

/// Problem-independent state of one solve.
pub struct SolveState<'a> {
    /// v and x: the iterate of the strategy that runs.
    pub iterate: &'a mut Iterate,
    /// Options, account of the cost, and Newton system.
    pub context: Context<'a>,
    pub work: &'a mut Workspace,
    pub newton_start: NewtonStart,
    /// Random numbers of scattered restarts.
    pub random: Pcg64,
    /// Whether the caller linearized the problem at the start.
    pub starts_linearized: bool,
    /// Status of the last stuck attempt of the proximal Newton method.
    pub stuck: SolveStatus,
    first_iteration: usize,
}

impl<'a> SolveState<'a> {
    /// Makes the start the best iterate; `known` is its residual if the problem is linearized there.
    ///
    /// # Errors
    /// When the residual of the start is not a number.
    pub fn begin(
        problem: &mut dyn StepProblem,
        iterate: &'a mut Iterate,
        known: Option<Residual>,
        work: &'a mut Workspace,
        context: Context<'a>,
    ) -> Result<Self, SolveStatus> {
        let residual = known.unwrap_or_else(|| problem.refresh(&iterate.velocity, &mut iterate.impulse));
        if residual.max().is_nan() {
            context.info.residual = residual;
            return Err(SolveStatus::NonFinite);
        }
        work.best.set(iterate, residual);
        let SolveOptions { warm_rho: rho, stall_iterations, .. } = context.options;
        Ok(Self {
            newton_start: NewtonStart { residual, rho, stall_iterations },
            random: Pcg64::seed_from_u64(SEED),
            starts_linearized: known.is_some(),
            stuck: SolveStatus::Stalled,
            first_iteration: context.info.iterations,
            iterate,
            context,
            work,
        })
    }

    /// Newton iterations that are left.
    pub fn iterations_left(&self) -> usize {
        let spent = self.context.info.iterations - self.first_iteration;
        self.context.options.iterations.saturating_sub(spent)
    }

    /// Whether the best iterate meets the tolerance.
    pub fn meets_tolerance(&self) -> bool {
        self.work.best.residual.max() <= self.context.options.tolerance
    }

    /// ρ that suits the best iterate.
    pub fn start_rho(&self) -> f64 {
        let (best, options) = (&self.work.best, &self.context.options);
        let warm = best.iterate.impulse.iter().any(|x| *x != 0.0);
        let rho = if warm { options.warm_rho } else { options.cold_rho };
        if best.residual.max() < AT_REST_BELOW_RESIDUAL { rho.max(AT_REST_RHO) } else { rho }
    }

    /// Moves the iterate, whose residual is `info.residual`, to the best one, and linearizes the problem
    /// there.
    pub fn return_to_best(&mut self, problem: &mut dyn StepProblem) {
        let Self { iterate, work, context, .. } = self;
        if let Some(kept) = problem.return_to_best(&mut iterate.velocity, &mut iterate.impulse) {
            context.info.residual = kept;
        } else if context.info.residual.exceeds(work.best.residual.max()) {
            iterate.copy_from(&work.best.iterate);
            context.info.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        work.best.set(iterate, context.info.residual);
    }

    /// Whether the Newton matrix of the problem is factorised so that the sign of its determinant is known.
    pub fn has_lu(&mut self, problem: &ContactProblem) -> bool {
        self.context.newton.prepare(problem, &self.context.options);
        self.context.newton.system.is_lu()
    }
}
