//! A whole solve on one page: strategies in order, each with one outcome, and the best iterate kept
//! throughout.

use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::linear_problem::LinearProblem;
use crate::solver::linear_system::NewtonSystem;
use crate::solver::options::SolveOptions;
use crate::solver::own_method::{self, OwnMethod};
use crate::solver::proximal::inner::{Context, FactorMemory, InnerNewton};
use crate::solver::residual::Residual;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;
use crate::solver::strategies::first_order::{gauss_seidel, sweeps_and_admm};
use crate::solver::strategies::homotopy::central_path;
use crate::solver::strategies::newton::proximal_newton;
use crate::solver::strategies::restart::restart;
use crate::solver::strategies::state::{Outcome, SolveState, Workspace};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Step of a solve: works on the state and says whether the solve goes on.
type Strategy = fn(&mut SolveState<'_>, &mut dyn StepProblem) -> Outcome;

/// Order of a solve that starts near its solution, from the impulses of the last step.
const WARM: [Strategy; 3] = [
    // Rough tolerances, large islands: no matrix. Stops when the time is up.
    gauss_seidel,
    // Starts far from a solution: free motion to the solution along the path. Backs off after failures.
    central_path,
    // The production method. Stops at its budget; goes on if it is stuck.
    proximal_newton,
];

/// Order of a solve from nothing.
const COLD: [Strategy; 3] = [sweeps_and_admm, central_path, proximal_newton];

/// Order of a stuck solve, repeated until `restart` has no start left.
const RETRY: [Strategy; 2] = [restart, proximal_newton];

/// Runs the strategies in order until one converges or stops. The iterate ends as the best one found, with
/// the problem linearized there.
fn run_strategies(
    first: &[Strategy],
    state: &mut SolveState<'_>,
    problem: &mut dyn StepProblem,
) -> SolveStatus {
    for strategy in first.iter().chain(RETRY.iter().cycle()) {
        match strategy(state, problem) {
            Outcome::Converged => return SolveStatus::Solved,
            Outcome::Stop(status) => return status,
            Outcome::Next => (),
        }
    }
    state.stuck
}

/// Solver with the memory of one problem's solves from one to the next.
#[derive(Debug, Default)]
pub struct Solver {
    newton: InnerNewton,
    work: Workspace,
    own: Option<Arc<dyn OwnMethod>>,
}

/// Memory of a [`Solver`] as plain data: with it, a new solver goes on bit for bit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverMemory {
    /// Factor of the last Newton system, if the next solve may use it.
    pub factor: Option<FactorMemory>,
    /// Solves to come that leave out the interior point, and the number left out last; then the same pair of
    /// the path that is followed by its length.
    pub pauses: [(usize, usize); 2],
}

/// Solves a problem whose geometry does not move, from the given impulses (empty: zero). Returns the best
/// iterate, the status of the solve, and its cost. Input that is inconsistent or not finite ends as
/// [`SolveStatus::NonFinite`].
pub fn solve(
    problem: LinearProblem<'_>,
    impulse: &[f64],
    options: &SolveOptions,
) -> (Iterate, SolveStatus, Info) {
    solve_linear(problem, impulse, |solver, problem, iterate, info| {
        solver.solve(problem, iterate, options, info)
    })
}

/// Solves a problem whose geometry does not move from nothing, as FCLIB's problems are solved: first-order
/// methods first, and more restarts. Each phase takes no longer than until the deadline.
pub fn solve_cold(
    problem: LinearProblem<'_>,
    impulse: &[f64],
    options: &SolveOptions,
) -> (Iterate, SolveStatus, Info) {
    solve_linear(problem, impulse, |solver, problem, iterate, info| {
        solver.solve_cold(problem, iterate, options, info)
    })
}

fn solve_linear<'a>(
    mut problem: LinearProblem<'a>,
    impulse: &[f64],
    solve: impl FnOnce(&mut Solver, &mut LinearProblem<'a>, &mut Iterate, &mut Info) -> SolveStatus,
) -> (Iterate, SolveStatus, Info) {
    let linear = problem.linearized();
    let mut iterate = Iterate { velocity: linear.at.velocity.clone(), impulse: impulse.to_vec() };
    if impulse.is_empty() {
        iterate.impulse.resize(linear.n_rows(), 0.0);
    }
    let mut info = Info::default();
    if !linear.is_consistent() || iterate.impulse.len() != linear.n_rows() {
        info.residual.momentum = f64::NAN;
        return (iterate, SolveStatus::NonFinite, info);
    }
    iterate.balance(linear);
    let status = solve(&mut Solver::default(), &mut problem, &mut iterate, &mut info);
    (iterate, status, info)
}

impl Solver {
    /// Memory on which the next solve depends besides its problem.
    pub fn memory(&self) -> SolverMemory {
        let pauses = [self.work.interior.schedule.pause, self.work.path.schedule.pause];
        SolverMemory { factor: self.newton.memory(), pauses }
    }

    /// Solver that goes on from a memory.
    pub fn with_memory(memory: &SolverMemory) -> Self {
        let mut solver = Self::default();
        let Workspace { interior, path, .. } = &mut solver.work;
        [interior.schedule.pause, path.schedule.pause] = memory.pauses;
        if let Some(factor) = &memory.factor {
            solver.newton.recall(factor);
        }
        solver
    }

    /// System of the last Newton directions.
    pub(in crate::solver) fn system(&self) -> &NewtonSystem {
        &self.newton.system
    }

    /// Sets a method of one's own in place of the strategies; None: the strategies.
    pub fn use_own(&mut self, method: Option<Arc<dyn OwnMethod>>) {
        self.own = method;
    }

    /// Solves from `iterate`, impulses and the velocities that balance them, which ends as the best iterate
    /// found (the problem linearized there).
    pub fn solve(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(&WARM, problem, (iterate, None), *options, info)
    }

    /// Solves from an iterate at which the problem is linearized already, with this residual; the iterate
    /// need not be balanced in momentum.
    pub fn solve_linearized(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        residual: Residual,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(&WARM, problem, (iterate, Some(residual)), *options, info)
    }

    /// Solves from nothing, with the first-order methods before everything else.
    pub fn solve_cold(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(&COLD, problem, (iterate, None), options.cold(), info)
    }

    fn run(
        &mut self,
        first: &[Strategy],
        problem: &mut dyn StepProblem,
        (iterate, known): (&mut Iterate, Option<Residual>),
        options: SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        if let Some(method) = &self.own {
            return own_method::run(&**method, problem, (iterate, known), &options, info);
        }
        let context = Context { options, info, newton: &mut self.newton };
        match SolveState::begin(problem, iterate, known, &mut self.work, context) {
            Ok(mut state) => run_strategies(first, &mut state, problem),
            Err(status) => status,
        }
    }
}
