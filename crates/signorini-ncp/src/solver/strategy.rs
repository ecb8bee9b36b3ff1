//! A whole solve, stage by stage: start, sweeps, first-order phases (from nothing only), central path,
//! proximal Newton, and restarts when it is stuck. The best iterate met is kept throughout.

use crate::linalg::BlockKrylov;
use crate::solver::context::Context;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::linear_problem::LinearProblem;
use crate::solver::memory::SolverMemory;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::strategy::SEED;
use crate::solver::proximal::inner::InnerNewton;
use crate::solver::residual::Residual;
use crate::solver::stages::{Restart, Stage, Stages, balance};
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;
use crate::solver::sweep_stage::is_swept;
use crate::solver::sweeps;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use signorini_kernels::device_sweeps::SweepsOnDevice;
use std::sync::Arc;

/// Memory of one problem's solves from one to the next.
#[derive(Debug, Default)]
pub struct Solver {
    newton: InnerNewton,
    stages: Stages,
}

/// Solves a problem whose geometry does not move, from the given impulses (empty: zero). Returns the best
/// iterate, how the solve ended, and what it cost. Input that is inconsistent or not finite ends as
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

/// The same from nothing, as FCLIB's problems are solved: first-order phases first, and more restarts. Each
/// phase takes no longer than until the deadline.
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
    balance(linear, &mut iterate);
    let status = solve(&mut Solver::default(), &mut problem, &mut iterate, &mut info);
    (iterate, status, info)
}

/// Where a solve starts.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// From impulses and the velocities that balance them.
    Balanced,
    /// The same in one with first-order phases before everything else.
    Cold,
    /// Where the problem is linearized already, with this residual.
    Linearized(Residual),
}

impl Solver {
    /// What the next solve depends on besides its problem.
    pub fn memory(&self) -> SolverMemory {
        let pauses = [self.stages.interior.schedule.pause, self.stages.path.schedule.pause];
        SolverMemory { factor: self.newton.memory(), pauses }
    }

    /// A solver that goes on from there.
    pub fn with_memory(memory: &SolverMemory) -> Self {
        let mut solver = Self::default();
        let Stages { interior, path, .. } = &mut solver.stages;
        [interior.schedule.pause, path.schedule.pause] = memory.pauses;
        if let Some(factor) = &memory.factor {
            solver.newton.recall(factor);
        }
        solver
    }

    /// Who solves linear systems iteratively from now on, where the run asks for that; None: the solver
    /// itself.
    pub fn use_krylov(&mut self, krylov: Option<Arc<dyn BlockKrylov>>) {
        self.newton.use_krylov(krylov);
    }

    /// Who sweeps over large problems from now on; None: the solver itself.
    pub fn use_sweeps(&mut self, sweeps: Option<Arc<dyn SweepsOnDevice>>) {
        self.stages.sweeps.use_device(sweeps);
    }

    /// Solves from `iterate`, which ends as the best iterate found (the problem linearized there).
    pub fn solve(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(problem, iterate, Start::Balanced, options, info)
    }

    /// The same where the problem is linearized at `iterate` already, with this residual; the iterate need
    /// not be balanced in momentum.
    pub fn solve_linearized(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        residual: Residual,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(problem, iterate, Start::Linearized(residual), options, info)
    }

    /// The same with the first-order phases before everything else, for problems that are solved from
    /// nothing.
    pub fn solve_cold(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        self.run(problem, iterate, Start::Cold, &options.cold(), info)
    }

    /// Sweeps, or first-order phases of a cold start; central path, then proximal Newton and restarts in
    /// turn.
    fn run(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        start: Start,
        options: &SolveOptions,
        info: &mut Info,
    ) -> SolveStatus {
        let Self { newton, stages } = self;
        let first_iteration = info.iterations;
        let mut context = Context { options: *options, info, newton };
        let known = if let Start::Linearized(residual) = start { Some(residual) } else { None };
        if stages.start(problem, iterate, known, &mut context).is_err() {
            return SolveStatus::NonFinite;
        }
        if start == Start::Cold {
            stages.first_order(problem, iterate, &mut context);
        } else if is_swept(problem.linearized(), options) && problem.parts().1.is_none() {
            stages.sweep(problem, iterate, known.is_some(), &mut context);
            if stages.best.residual.max() <= options.tolerance && context.info.sweeps > 0 {
                return SolveStatus::Solved;
            }
            // What Newton's method needs of a large island takes seconds before its first iteration.
            if context.options.is_late() {
                return SolveStatus::TimeLimit;
            }
            if sweeps::is_stiff(problem.linearized()) {
                context.options = options.after_failed_first_order();
            }
        }
        iterate.copy_from(&stages.best.iterate);
        let mut rho = stages.start_rho(options);
        stages.central_path(problem, iterate, &mut rho, &mut context);
        let mut random = Pcg64::seed_from_u64(SEED);
        let mut from =
            Restart { residual: stages.best.residual, rho, stall_iterations: options.stall_iterations };
        loop {
            let spent = context.info.iterations - first_iteration;
            let ended = stages.newton(problem, iterate, (from, spent), &mut context);
            let stuck = match ended {
                Stage::Ended(status) => return status,
                Stage::Stuck(status) => status,
            };
            match stages.restart(problem, iterate, &mut random, &mut context) {
                Some(restart) => from = restart,
                None => return stuck,
            }
            context.info.restarts += 1;
        }
    }
}
