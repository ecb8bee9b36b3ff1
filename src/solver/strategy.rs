//! A whole solve: cheap phases A (Gauss–Seidel) and B (alternating directions), the central path, the
//! proximal Newton method C, and the ladder of restarts when C is stuck. The best iterate met is kept
//! throughout.

use crate::linalg::{BLOCK, BlockKrylov};
use crate::problem::{Cone, ContactProblem};
use crate::solver::central_path;
use crate::solver::cold::admm::{Admm, Limits};
use crate::solver::cold::gauss_seidel::GaussSeidel;
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::law::Law;
use crate::solver::linear_problem::LinearProblem;
use crate::solver::linearized_problem::FrozenProblem;
use crate::solver::memory::SolverMemory;
use crate::solver::path::follow::PathAttempt;
use crate::solver::proximal::outer::{Budget, ProximalNewton};
use crate::solver::residual::Residual;
use crate::solver::settings::{CoreSettings, LinearSolver};
use crate::solver::status::{Phase, SolveStatus};
use crate::solver::step_problem::StepProblem;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;
use std::time::Instant;

/// Memory of one problem's solves from one to the next.
#[derive(Debug, Default)]
pub struct Solver {
    newton: ProximalNewton,
    gauss_seidel: GaussSeidel,
    admm: Admm,
    best: Iterate,
    trial: Iterate,
}

/// Solves a problem whose geometry does not move, from the given impulses (empty: zero), each phase no longer
/// than until `deadline`. Returns the best iterate, how the solve ended, and what it cost. Input that is
/// inconsistent or not finite ends as [`SolveStatus::NonFinite`].
pub fn solve(
    problem: LinearProblem<'_>,
    warm_start: &[f64],
    tolerance: f64,
    deadline: Option<Instant>,
    settings: &CoreSettings,
) -> (Iterate, SolveStatus, Info) {
    let mut linear = problem;
    let frozen = linear.frozen();
    let mut iterate = Iterate { velocity: frozen.at.velocity.clone(), impulse: warm_start.to_vec() };
    if warm_start.is_empty() {
        iterate.impulse.resize(frozen.n_rows(), 0.0);
    }
    let mut info = Info::default();
    if !frozen.is_consistent() || iterate.impulse.len() != frozen.n_rows() {
        info.residual.momentum = f64::NAN;
        return (iterate, SolveStatus::NonFinite, info);
    }
    balance(frozen, &mut iterate);
    let status = Solver::default().solve(&mut linear, &mut iterate, tolerance, deadline, settings, &mut info);
    (iterate, status, info)
}

impl Solver {
    /// What the next solve depends on besides its problem.
    pub fn memory(&self) -> SolverMemory {
        let newton = &self.newton;
        let pauses = [newton.interior.attempts.pause, newton.path.attempts.pause];
        SolverMemory { factor: newton.inner.memory(), pauses }
    }

    /// A solver that goes on from there.
    pub fn with_memory(memory: &SolverMemory) -> Self {
        let mut solver = Self::default();
        [solver.newton.interior.attempts.pause, solver.newton.path.attempts.pause] = memory.pauses;
        if let Some(factor) = &memory.factor {
            solver.newton.inner.recall(factor);
        }
        solver
    }

    /// Who solves linear systems iteratively from now on, where the settings ask for that; None: the solver
    /// itself.
    pub fn use_krylov(&mut self, krylov: Option<Arc<dyn BlockKrylov>>) {
        self.newton.use_krylov(krylov);
    }

    /// Solves to `tolerance` from `iterate`, which ends as the best iterate found (the problem frozen there).
    pub fn solve(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> SolveStatus {
        let first_iteration = info.iterations;
        problem.leave_rows();
        let mut residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        if residual.max().is_nan() {
            info.residual = residual;
            return SolveStatus::NonFinite;
        }
        self.best.copy_from(iterate);
        let warm = iterate.impulse.iter().any(|x| *x != 0.0);
        let mut rho = if warm { settings.warm_rho } else { settings.initial_rho };
        if residual.max() < settings.rest_below {
            rho = rho.max(settings.rest_rho);
        }
        if residual.max() > settings.cheap_phases_above {
            fetch_rows(problem, iterate);
            residual = self.cheap_phases(problem, residual, tolerance, deadline, settings, info);
        }
        iterate.copy_from(&self.best);
        residual =
            self.central_path(problem, iterate, residual, &mut rho, tolerance, deadline, settings, info);
        let mut random = Pcg64::seed_from_u64(settings.ladder_seed);
        let (mut start, mut patience) = (residual, settings.patience);
        loop {
            let spent = info.iterations - first_iteration;
            let iterations = settings.most_iterations.saturating_sub(spent);
            let before = info.iterations;
            let budget = Budget { iterations, deadline, patience };
            let status =
                self.newton.solve(problem, iterate, start, &mut rho, tolerance, &budget, settings, info);
            if info.iterations > before {
                info.phase = if info.restarts > 0 { Phase::Ladder } else { Phase::Newton };
            }
            if status == SolveStatus::Solved {
                return status;
            }
            residual = self.return_to_best(problem, iterate, residual, info);
            if residual.max() <= tolerance {
                return SolveStatus::Solved;
            }
            let stuck = matches!(status, SolveStatus::Stalled | SolveStatus::FactorizationFailed);
            let path =
                if stuck { self.path_of(problem, iterate, &residual, tolerance, settings) } else { None };
            let paths = path.map_or(0, |_| settings.path_restarts);
            if !stuck || info.restarts >= settings.ladder_restarts.max(paths) {
                return status;
            }
            fetch_rows(problem, iterate);
            problem.start_again();
            let path = path.filter(|_| info.restarts < paths);
            let along = path.and_then(|path| {
                self.along_another_path(problem, iterate, path, tolerance, deadline, settings, info)
            });
            if let Some(reached) = along {
                start = reached;
                rho = settings.path_rho;
                patience = settings.path_restart_patience;
            } else {
                patience = settings.patience;
                let limits = Limits { iterations: settings.ladder_admm_iterations, tolerance, deadline };
                rho = self.next_rung(problem, iterate, &limits, &mut random, settings, info);
                start = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            }
            info.restarts += 1;
        }
    }

    /// Moves `iterate`, which ended with `info.residual`, to the best one, freezes the problem there and
    /// returns the residual. `before` is that of the best so far.
    fn return_to_best(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        before: Residual,
        info: &mut Info,
    ) -> Residual {
        if let Some(kept) = problem.return_to_best(&mut iterate.velocity, &mut iterate.impulse) {
            info.residual = kept;
        } else if info.residual.exceeds(before.max()) {
            iterate.copy_from(&self.best);
            info.residual = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        self.best.copy_from(iterate);
        info.residual
    }

    /// What restarts from there follow a path of, if they do.
    fn path_of(
        &mut self,
        problem: &impl StepProblem,
        iterate: &Iterate,
        residual: &Residual,
        tolerance: f64,
        settings: &CoreSettings,
    ) -> Option<PathOf> {
        let frozen = problem.frozen();
        let normal = frozen.cones.iter().flat_map(Cone::normal).map(|row| iterate.impulse[row]);
        let largest = normal.fold(frozen.scaling.momentum, f64::max) / frozen.scaling.momentum;
        let is_small = frozen.n_bodies() <= settings.small_island;
        let is_near = residual.max() < settings.path_frozen_below * largest;
        let path = match (central_path::applies(frozen), is_small) {
            (true, false) => PathOf::Step,
            _ if is_near => PathOf::Frozen,
            (_, true) => PathOf::Step,
            (false, false) => return None,
        };
        let applies = settings.path_iterations > 0
            && tolerance < settings.interior_goal
            && central_path::exists(frozen)
            && self.newton.is_lu(frozen, settings);
        applies.then_some(path)
    }

    /// The restart along the next path; the first is the unweighted one where the solve did not begin with
    /// it. Returns the residual there. None where the path led nowhere: from the same iterate the proximal
    /// method would end as it did. Not so with patches, which forgot their bans.
    fn along_another_path(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        path: PathOf,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Option<Residual> {
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
        let is_first = info.restarts == 0 && problem.frozen().n_bodies() <= settings.path_above_bodies;
        let weights = (!is_first).then(|| settings.ladder_seed.wrapping_add(info.restarts as u64));
        // What repelled the proximal method is no start, however near: the end of a path is better.
        let to_beat = Residual { momentum: f64::INFINITY, ..Residual::default() };
        let smooth = central_path::applies(problem.frozen());
        let attempt = PathAttempt { to_beat, weights, leads: smooth };
        let newton = &mut self.newton;
        // Beside its equivalent contact point a patch would bear a little where it is open.
        let moved = if path == PathOf::Step {
            let (residual, moved) =
                newton.follow_path(problem, iterate, attempt, tolerance, deadline, settings, info);
            if smooth {
                return moved.then_some(residual);
            }
            central_path::release_open(problem.frozen(), &mut iterate.impulse);
            moved
        } else {
            // Of a patch the path loads all atoms. Those that come and go on the way would leave nothing to
            // follow.
            let mut bears = vec![true; problem.frozen().n_rows()];
            problem.mark_idle(&iterate.impulse, &mut bears);
            let mut frozen = FrozenProblem::new(problem.frozen().clone(), &bears);
            let (_, moved) =
                newton.follow_path(&mut frozen, iterate, attempt, tolerance, deadline, settings, info);
            central_path::release_open(frozen.frozen(), &mut iterate.impulse);
            moved
        };
        let reached = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        (moved || !smooth).then_some(reached)
    }

    /// The central path, in small islands by the interior point, in large ones by its length, where it is
    /// due. `iterate` and the best move to what it found; `rho` is what the proximal method should go on
    /// with. Returns the residual.
    fn central_path(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        before: Residual,
        rho: &mut f64,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Residual {
        // A device knows the derivatives of the proximal point only: the rows have to be fetched, unless the
        // whole solve is to stay there.
        let on_device = problem.parts().1.is_some();
        if on_device && settings.linear_solver == LinearSolver::Krylov || tolerance >= settings.interior_goal
        {
            return before;
        }
        let newton = &mut self.newton;
        let follows = problem.frozen().n_bodies() > settings.path_above_bodies
            && settings.path_iterations > 0
            && newton.is_lu(problem.frozen(), settings);
        let is_due = if follows {
            newton.path.is_due(&before, problem.frozen(), settings)
        } else {
            newton.interior.is_due(&before, problem.frozen(), settings)
        };
        if !is_due {
            return before;
        }
        fetch_rows(problem, iterate);
        let residual = if follows {
            let attempt = PathAttempt { to_beat: before, weights: None, leads: false };
            newton.follow_path(problem, iterate, attempt, tolerance, deadline, settings, info).0
        } else {
            newton.interior_point(problem, iterate, before, tolerance, deadline, settings, info)
        };
        if follows && residual.max() < before.max() {
            *rho = rho.max(settings.path_rho);
        }
        info.phase = Phase::InteriorPoint;
        self.best.copy_from(iterate);
        if on_device && residual.max() > tolerance {
            problem.leave_rows();
            return problem.refresh(&iterate.velocity, &mut iterate.impulse);
        }
        residual
    }

    /// Phases A and B from the best iterate; keeps what lowers the true residual, which is returned.
    fn cheap_phases(
        &mut self,
        problem: &mut impl StepProblem,
        mut residual: Residual,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Residual {
        for phase in 0..2 {
            if residual.max() <= tolerance {
                break;
            }
            self.trial.copy_from(&self.best);
            let frozen = problem.frozen();
            if phase == 0 {
                self.gauss_seidel.sweep(frozen, &mut self.trial, tolerance, deadline, settings);
            } else {
                let limits = Limits { iterations: settings.admm_iterations, tolerance, deadline };
                // Without factors this phase is left out; C damps them by ρ and may still have some.
                let _ = self.admm.iterate(frozen, &mut self.trial, &limits, settings, info);
            }
            let reached = problem.refresh(&self.trial.velocity, &mut self.trial.impulse);
            if reached.max() < residual.max() {
                residual = reached;
                info.phase = if phase == 0 { Phase::GaussSeidel } else { Phase::Admm };
                self.best.copy_from(&self.trial);
            } else {
                problem.refresh(&self.best.velocity, &mut self.best.impulse);
            }
        }
        residual
    }

    /// Where to start again when stuck, in turn: cold; impulses scattered by a fifth; alternating directions.
    /// Returns the ρ to start with. `iterate` is the best one when called.
    fn next_rung(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        limits: &Limits,
        random: &mut Pcg64,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> f64 {
        match info.restarts % 3 {
            0 => {
                iterate.impulse.fill(0.0);
                balance(problem.frozen(), iterate);
                settings.initial_rho
            }
            1 => {
                iterate.impulse.iter_mut().for_each(|x| *x *= random.random_range(0.8..1.2));
                Law::move_into_cones(problem.frozen(), &mut iterate.impulse);
                settings.warm_rho
            }
            _ => {
                problem.refresh(&iterate.velocity, &mut iterate.impulse);
                let _ = self.admm.iterate(problem.frozen(), iterate, limits, settings, info);
                settings.initial_rho
            }
        }
    }
}

/// What a path belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathOf {
    /// The step's problem: the geometry is refreshed on the way. Of many bodies with patches such paths lead
    /// nowhere; where they are few and the best iterate is far from a solution they get past it.
    Step,
    /// The problem frozen at the best iterate.
    Frozen,
}

/// What is not Newton's method looks at the rows themselves.
fn fetch_rows(problem: &mut impl StepProblem, iterate: &mut Iterate) {
    if problem.parts().1.is_some() {
        problem.fetch_rows();
        problem.refresh(&iterate.velocity, &mut iterate.impulse);
    }
}

/// v := A⁻¹ (b + Jᵀ x) where A is block-diagonal; coupled problems keep their velocities.
fn balance(problem: &ContactProblem, iterate: &mut Iterate) {
    if !problem.coupling.is_empty() {
        return;
    }
    problem.balance(&iterate.impulse, &mut Vec::new(), &mut iterate.velocity);
    debug_assert_eq!(iterate.velocity.len(), BLOCK * problem.n_bodies());
}
