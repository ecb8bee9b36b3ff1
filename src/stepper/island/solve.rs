//! One island with its solver, which is solved on its own, in parallel with the others.

use crate::contact::Pair;
use crate::stepper::blocks::path_speed;
use crate::stepper::island::halved::Halved;
use crate::stepper::island::impact::Impact;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::refresh::Refreshed;
use crate::stepper::island::settings::Halving;
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::BodyUnit;
use signorini_ncp::problem::contact_problem::body_vector;
use signorini_ncp::solver::StepProblem;
use signorini_ncp::solver::parameters::proximal::{AT_REST_BELOW_RESIDUAL, AT_REST_TOLERANCE};
use signorini_ncp::solver::{
    ConicValue, Info, Iterate, RefinementTarget, Residual, SolveOptions, SolveStatus, Solver, SolverMemory,
    is_swept,
};
use std::time::Instant;

/// Most additions of rows for contact points within a step.
const MOST_EXTENSIONS: usize = 4;

/// Speed below which manifolds are not swept: all bodies move this little, measured by what gravity and loads
/// do in a step, and a more exact solution may find them at rest.
const SETTLES_BELOW: f64 = 1.0;
/// Speed below which islands without manifolds are not swept, over the tolerance: sweeps leave errors of this
/// size, which would keep the bodies trembling.
const SMOOTH_SETTLES_BELOW: f64 = 5.0;

/// A small island is polished while its step has taken fewer iterations than this.
const POLISH_ITERATIONS: usize = 9;

/// An island with its iterate and the outcome of its last solve.
#[derive(Debug, Default)]
pub struct Island {
    /// Bodies, pairs and the linearised problem.
    pub problem: IslandProblem,
    /// Velocities and impulses.
    pub iterate: Iterate,
    /// Outcome of the last solve.
    pub status: SolveStatus,
    /// Work of the last solve.
    pub info: Info,
    /// The substeps, if the step was halved.
    pub halved: Halved,
    /// Value of the island's problem, where the model is a convex one.
    pub conic: Option<ConicValue>,
    /// Impact at the end of the step, where the step was not halved.
    pub impact: Option<Impact>,
    pub(in crate::stepper) solver: Solver,
    pub(in crate::stepper) momentum: Vec<f64>,
}

impl Island {
    /// Makes an island with a solver's memory, which goes on where `first_body` is its first body.
    pub fn recalled(first_body: Option<usize>, solver: &SolverMemory) -> Self {
        let mut island = Self { solver: Solver::with_memory(solver), ..Self::default() };
        island.problem.bodies.extend(first_body);
        island
    }

    /// Solves the step or substep of a context in one piece.
    pub fn solve_span(&mut self, context: &StepContext<'_>, with: &Halving<'_>, run: &SolveOptions) {
        let start = Instant::now();
        self.solve_frozen(context, with, run);
        let times = &mut self.info.times;
        times.geometry = self.problem.geometry_seconds;
        let known = times.geometry + times.assembly + times.factor;
        times.solve = (start.elapsed().as_secs_f64() - known).max(0.0);
    }

    /// Solves the step or substep; where contact points turn up without reserved rows, the solve goes on from
    /// its iterate with more rows.
    fn solve_frozen(&mut self, context: &StepContext<'_>, with: &Halving<'_>, run: &SolveOptions) {
        self.info = Info::default();
        for _ in 0..MOST_EXTENSIONS {
            self.problem.pairs.iter_mut().filter_map(|p| p.manifold.as_mut()).for_each(|p| p.reserve());
            self.solve_reserved(context, with, run);
            let missed = |p: &Pair| p.manifold.as_ref().is_some_and(|p| p.n_missed > 0);
            if self.status.is_solved() || !self.problem.pairs.iter().any(|pair| missed(pair)) {
                break;
            }
            self.remember();
        }
    }

    fn solve_reserved(&mut self, context: &StepContext<'_>, with: &Halving<'_>, run: &SolveOptions) {
        let Halving { local_of, goals, .. } = *with;
        self.problem.set_up(context, local_of);
        let is_small = self.problem.bodies.len() <= run.methods.small_island;
        let slow = self.is_slow(context, AT_REST_BELOW_RESIDUAL);
        let has_manifolds = self.problem.problem.has_manifolds();
        let settled = if has_manifolds { SETTLES_BELOW } else { SMOOTH_SETTLES_BELOW * run.tolerance };
        let settles = slow || self.is_slow(context, settled);
        let sweeps = !settles && is_swept(&self.problem.problem, run);
        // A solve of a few microseconds is not worth a submission. Rows that are swept are laid out on the
        // CPU, whether it sweeps over them or the device does.
        if !is_small && !sweeps {
            self.problem.use_device(context);
        }
        let start = self.recall(context, slow);
        if slow && start.max() <= AT_REST_TOLERANCE.max(self.problem.units.rounding()) * run.tolerance {
            // Rounding is no motion: the island stays in place, to the last bit, and the next step finds it
            // so.
            (self.status, self.info.residual) = (SolveStatus::Solved, start);
            return;
        }
        if sweeps {
            // Sweeps start from the velocities of the last step: they are as good as the velocities that
            // would balance the impulses, and the geometry at them is known.
            self.status = self.run(context, run, Some(start));
            return;
        }
        self.balance(context);
        // A start balanced with the impulses that braked the step before moves by rounding: accepted as it
        // is, it would keep the island from its rest.
        let mut run = SolveOptions { accepted_start: if slow { 0.0 } else { run.accepted_start }, ..*run };
        run.methods.solve_by_sweeps &= !has_manifolds;
        if is_small {
            self.run_small(context, &run.small_island(), goals.polish);
        } else {
            self.run_settled(
                context,
                &run,
                if slow { RefinementTarget::AT_REST } else { RefinementTarget::MOVING },
            );
        }
    }

    /// Solves to less than the tolerance if that takes few iterations: the error of a rough tolerance keeps
    /// bodies moving that could rest, and contact points apart that should carry load together in the next
    /// step. Where not even the tolerance is met, the finer solve is tried again: its contact points that
    /// push along other normals than the rest steady the iteration for longer.
    fn run_settled(&mut self, context: &StepContext<'_>, run: &SolveOptions, to: RefinementTarget) {
        let settled = self.reachable(to.residual, run);
        if settled < run.tolerance {
            self.run_finer(context, &run.refine(RefinementTarget { residual: settled, ..to }), run.tolerance);
            if !self.may_go_on() {
                return;
            }
        }
        self.status = self.run(context, &run.after(self.info.iterations), None);
        // Only impulses show how much error rounding leaves.
        let settled = self.reachable(to.residual, run);
        if settled < run.tolerance && self.may_go_on() {
            let finer = SolveOptions { tolerance: settled, ..run.after(self.info.iterations) };
            self.run_finer(context, &finer, run.tolerance);
        } else if settled < run.tolerance && self.status.is_solved() && to.repeats {
            self.run_finer(context, &run.refine(RefinementTarget { residual: settled, ..to }), run.tolerance);
        }
    }

    /// The larger of a residual and the error that rounding leaves.
    fn reachable(&self, residual: f64, run: &SolveOptions) -> f64 {
        residual.max(self.problem.units.rounding() * run.tolerance)
    }

    /// Solves to less than the tolerance; an iterate within the tolerance at the end counts as solved.
    fn run_finer(&mut self, context: &StepContext<'_>, run: &SolveOptions, tolerance: f64) {
        self.problem.aim = run.tolerance;
        self.status = self.run(context, run, None);
        self.problem.aim = tolerance;
        if self.may_go_on() {
            let mut problem = Refreshed { island: &mut self.problem, context };
            self.info.residual = problem.refresh(&self.iterate.velocity, &mut self.iterate.impulse);
            if !self.info.residual.exceeds(tolerance) {
                self.status = SolveStatus::Solved;
            }
        }
    }

    /// Whether the last solve ended without a solution, and another may find one.
    fn may_go_on(&self) -> bool {
        matches!(
            self.status,
            SolveStatus::MaxIterations | SolveStatus::Stalled | SolveStatus::FactorizationFailed
        )
    }

    /// Sets velocities that balance the impulses. Light bodies between joints keep theirs: the small momentum
    /// that the impulses leave unbalanced would make them gain energy.
    fn balance(&mut self, context: &StepContext<'_>) {
        let Self { problem, iterate, momentum, .. } = self;
        let light = |id: &usize| context.models.bodies[*id].effective_mass_ratio > 1.0;
        let places = (0..problem.bodies.len()).filter(|local| light(&problem.bodies[*local]));
        let kept: Vec<(usize, Vec<f64>)> =
            places.map(|local| (BLOCK * local, body_vector(&iterate.velocity, local).to_vec())).collect();
        if !problem.balance_on_device(&mut iterate.velocity) {
            problem.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
        }
        for (first, velocity) in kept {
            iterate.velocity[first..first + BLOCK].copy_from_slice(&velocity);
        }
    }

    /// Solves an island of a few bodies, and polishes the solution if that takes few iterations.
    fn run_small(&mut self, context: &StepContext<'_>, run: &SolveOptions, polish: f64) {
        self.run_settled(context, run, RefinementTarget::SMALL_ISLAND);
        let left = POLISH_ITERATIONS.saturating_sub(self.info.iterations);
        let tolerance = polish.max(self.problem.units.rounding() * run.tolerance);
        if self.status == SolveStatus::Solved && left > 0 && self.info.residual.max() > tolerance {
            let status = self.run(context, &run.polish(tolerance, self.info.iterations, left), None);
            // Contact points that were excluded on the way may leave a larger residual than before.
            if self.info.residual.exceeds(run.tolerance) {
                self.status = status;
            }
        }
    }

    /// Finds the impact at the end of the step or substep of a context.
    pub fn find_impact(&mut self, context: &StepContext<'_>, run: &SolveOptions) -> Option<Impact> {
        if !self.status.is_solved() {
            return None;
        }
        let impact = Impact::find(&mut self.problem, &self.iterate, context, run)?;
        self.info.add_work(&impact.info);
        self.info.residual = self.info.residual.larger(&impact.info.residual);
        self.status = self.status.worse(impact.status);
        Some(impact)
    }

    /// Linearises the problem at an iterate found before, with the pairs of that time.
    pub fn restore(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
        (pairs, iterate): (Vec<Box<Pair>>, Iterate),
    ) {
        self.problem.pairs = pairs;
        self.problem.set_up(context, local_of);
        self.iterate = iterate;
        Refreshed { island: &mut self.problem, context }
            .refresh(&self.iterate.velocity, &mut self.iterate.impulse);
    }

    /// Solves from the iterate, at which the problem is linearised already if its residual is given.
    fn run(&mut self, context: &StepContext<'_>, run: &SolveOptions, known: Option<Residual>) -> SolveStatus {
        let mut problem = Refreshed { island: &mut self.problem, context };
        let Self { solver, iterate, info, .. } = self;
        solver.use_krylov(context.backend.and_then(|b| b.krylov()));
        solver.use_sweeps(context.backend.and_then(|b| b.sweeps()));
        let status = match known {
            Some(residual) => solver.solve_linearized(&mut problem, iterate, residual, run, info),
            None => solver.solve(&mut problem, iterate, run, info),
        };
        if let Some(backend) = context.backend {
            backend.note_sweeps();
        }
        status
    }

    /// Whether all bodies have less than this part of the momentum that acts on them in the step.
    fn is_slow(&self, context: &StepContext<'_>, below: f64) -> bool {
        let units = &self.problem.problem.at.units.bodies;
        let slow = |(id, unit): (&usize, &BodyUnit)| {
            let model = &context.models.bodies[*id];
            model.mass * path_speed(model, &context.velocities[*id]) <= below * unit.momentum
        };
        self.problem.bodies.iter().zip(units).all(slow)
    }
}
