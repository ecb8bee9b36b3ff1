//! One island with its solver: what is solved on its own, in parallel with the others.

use super::halving::{Halved, Halving, halve};
use super::implicit_ncp::path_speed;
use super::island_problem::{IslandProblem, Refreshed, StepContext};
use super::joints::Link;
use crate::contact::{Islands, Pair};
use crate::geometry::Velocity;
use crate::problem::Cone;
use crate::settings::SolverSettings;
use crate::solver::{ConicValue, CoreSettings, Info, Iterate, Residual, SolveStatus, Solver, StepProblem};
use std::time::Instant;

/// How often rows for atoms are added within a step.
const MOST_EXTENSIONS: usize = 4;

/// An island, its iterate and how its last solve went.
#[derive(Debug, Default)]
pub struct Island {
    /// Bodies, pairs and the frozen problem.
    pub problem: IslandProblem,
    /// Velocities and impulses.
    pub iterate: Iterate,
    /// How the last solve ended.
    pub status: SolveStatus,
    /// What the last solve cost.
    pub info: Info,
    /// The substeps, if the step was halved.
    pub halved: Halved,
    /// Value of the island's problem, where the model is a convex one.
    pub conic: Option<ConicValue>,
    pub(super) solver: Solver,
    pub(super) momentum: Vec<f64>,
}

impl Island {
    /// Solves the island's step, in substeps if it must be, from the impulses its pairs remember. Afterwards the pairs
    /// remember those of this step.
    pub fn solve(&mut self, context: &StepContext<'_>, with: &Halving<'_>) {
        self.halved.clear();
        self.solve_span(context, with, &with.settings_for(1.0));
        if context.last_step.is_some() {
            let mut rounds = 0;
            while rounds < MOST_EXTENSIONS && (self.damp_impacts() | self.release_driven()) {
                let spent = self.info;
                self.solve_span(context, with, &with.settings_for(1.0));
                self.add_work(&spent);
                rounds += 1;
            }
            if !self.status.is_solved() && self.problem.forget_last_slips() {
                let spent = self.info;
                self.solve_span(context, with, &with.settings_for(1.0));
                self.add_work(&spent);
            }
            if self.status.is_solved() || with.most_halvings == 0 {
                self.remember_slip(context);
                return self.remember();
            }
            // Its substeps are implicit Euler's, from the velocities as they are.
            self.forget_stagger();
            halve(self, &StepContext { last_step: None, ..*context }, with);
            if self.halved.substeps.is_empty() {
                self.remember();
            }
            return;
        }
        if !self.status.is_solved() && with.most_halvings > 0 {
            halve(self, context, with);
        }
        if self.halved.substeps.is_empty() {
            self.remember();
        }
    }

    fn add_work(&mut self, spent: &Info) {
        self.info.iterations += spent.iterations;
        self.info.factorizations += spent.factorizations;
        self.info.times.add(&spent.times);
    }

    /// Solves the step or substep of a context in one piece.
    pub fn solve_span(&mut self, context: &StepContext<'_>, with: &Halving<'_>, settings: &CoreSettings) {
        let start = Instant::now();
        self.solve_frozen(context, with, settings);
        let times = &mut self.info.times;
        times.geometry = self.problem.geometry_seconds;
        let known = times.geometry + times.assembly + times.factor;
        times.solve = (start.elapsed().as_secs_f64() - known).max(0.0);
    }

    /// If atoms turn up for which no rows were set aside, it goes on from where it is with more rows.
    fn solve_frozen(&mut self, context: &StepContext<'_>, with: &Halving<'_>, settings: &CoreSettings) {
        self.info = Info::default();
        for _ in 0..MOST_EXTENSIONS {
            self.problem.pairs.iter_mut().filter_map(|p| p.patch.as_mut()).for_each(|p| p.reserve());
            self.solve_reserved(context, with, settings);
            let missed = |p: &Pair| p.patch.as_ref().is_some_and(|p| p.n_missed > 0);
            if self.status.is_solved() || !self.problem.pairs.iter().any(missed) {
                break;
            }
            self.remember();
        }
    }

    fn solve_reserved(&mut self, context: &StepContext<'_>, with: &Halving<'_>, settings: &CoreSettings) {
        let Halving { local_of, goals, .. } = *with;
        let tolerance = goals.tolerance;
        self.problem.set_up(context, local_of);
        // What is solved in a few microseconds is not worth a submission.
        if self.problem.bodies.len() > settings.small_island {
            self.problem.use_device(context);
        }
        let slow = self.is_slow(context, settings);
        let start = self.recall(context, slow);
        let at_rest = settings.rest_accuracy * tolerance;
        if slow && start.max() <= at_rest {
            // Rounding is no motion: it stays where it is, to the last bit, and so it will be found in the next step.
            (self.status, self.info.residual) = (SolveStatus::Solved, start);
            return;
        }
        let Self { problem, iterate, momentum, .. } = self;
        if !problem.balance_on_device(&mut iterate.velocity) {
            problem.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
        }
        // Balanced with the impulses that braked the step before, a start moves by rounding: taken as it is, it would keep
        // the island from its rest.
        let accepted_start = if slow { 0.0 } else { settings.accepted_start };
        let settings = &CoreSettings { accepted_start, ..*settings };
        if self.problem.bodies.len() > settings.small_island {
            self.status = self.run_large(context, settings, goals);
            return;
        }
        let small = settings.of_small_islands();
        self.status = self.run(context, &small, tolerance);
        let left = small.polish_iterations.saturating_sub(self.info.iterations);
        let goal = small.polish * tolerance;
        if self.status == SolveStatus::Solved && left > 0 && self.info.residual.max() > goal {
            let most_iterations = self.info.iterations + left;
            let polish = CoreSettings {
                most_iterations,
                inner_iterations: left.min(small.inner_iterations),
                ladder_restarts: 0,
                path_restarts: 0,
                patience: 2,
                // The modes are right by now: large ρ is Newton's method.
                warm_rho: small.polish_rho,
                ..small
            };
            let status = self.run(context, &polish, goal);
            // Atoms that were banned on the way may leave it with less than it had.
            if self.info.residual.exceeds(tolerance) {
                self.status = status;
            }
        }
    }

    /// Freezes the problem at an iterate found before, with the pairs it was found for.
    pub fn restore(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
        (pairs, iterate): (Vec<Pair>, Iterate),
    ) {
        self.problem.pairs = pairs;
        self.problem.set_up(context, local_of);
        self.iterate = iterate;
        Refreshed { island: &mut self.problem, context }
            .refresh(&self.iterate.velocity, &mut self.iterate.impulse);
    }

    /// The largest normal impulse, or reaction of a joint's row (N s).
    pub fn largest_impulse(&self) -> f64 {
        self.largest(|_| true)
    }

    fn largest(&self, counts: impl Fn(&Cone) -> bool) -> f64 {
        let cones = self.problem.problem.cones.iter().filter(|cone| counts(cone));
        let normal =
            cones.map(|cone| self.iterate.impulse[cone.normal()].iter().map(|x| x.abs()).sum::<f64>());
        normal.fold(0.0, f64::max)
    }

    /// An island that is not small. Impulses that turn out smaller than those of the last step may ask for more.
    fn run_large(
        &mut self,
        context: &StepContext<'_>,
        settings: &CoreSettings,
        goals: &SolverSettings,
    ) -> SolveStatus {
        let p_ref = context.scaling.momentum;
        let mut tolerance = goals.tolerance_at(self.largest(|cone| !cone.bounded), p_ref);
        loop {
            let status = self.run(context, settings, tolerance);
            let now = goals.tolerance_at(self.largest(|cone| !cone.bounded), p_ref);
            if status != SolveStatus::Solved || now >= tolerance || self.info.residual.max() <= now {
                return status;
            }
            tolerance = now;
        }
    }

    fn run(&mut self, context: &StepContext<'_>, settings: &CoreSettings, tolerance: f64) -> SolveStatus {
        let mut problem = Refreshed { island: &mut self.problem, context };
        let Self { solver, iterate, info, .. } = self;
        solver.use_krylov(context.backend.and_then(|b| b.krylov()));
        solver.solve(&mut problem, iterate, tolerance, None, settings, info)
    }

    /// Whether all bodies are so slow that the step may be found to move none of them.
    fn is_slow(&self, context: &StepContext<'_>, settings: &CoreSettings) -> bool {
        let most = settings.rest_below * context.scaling.momentum;
        let slow = |id: &usize| {
            let model = &context.models[*id];
            model.mass * path_speed(model, &context.velocities[*id]) <= most
        };
        self.problem.bodies.iter().all(slow)
    }

    /// Impulses of the last step, and its velocities, or none for what is nearly at rest; the residual with them.
    fn recall(&mut self, context: &StepContext<'_>, slow: bool) -> Residual {
        let Self { problem, iterate, .. } = self;
        iterate.impulse.clear();
        iterate.impulse.resize(problem.problem.n_rows(), 0.0);
        for (pair, cone) in problem.pairs.iter().zip(&problem.problem.cones) {
            let normal = &mut iterate.impulse[cone.normal()];
            match &pair.patch {
                None => normal[0] = pair.impulse[0],
                Some(patch) => normal.iter_mut().zip(&patch.atoms).for_each(|(x, atom)| *x = atom.impulse),
            }
            iterate.impulse[cone.friction()].copy_from_slice(&pair.impulse[1..1 + cone.n_friction]);
        }
        if !problem.links.is_empty() {
            let remembered = problem.links.iter().flat_map(|link| &link.impulse);
            let first = problem.first_joint_row();
            iterate.impulse[first..].iter_mut().zip(remembered).for_each(|(x, r)| *x = *r);
        }
        iterate.velocity.clear();
        for &id in &problem.bodies {
            let v = if slow { Velocity::default() } else { context.velocities[id] };
            iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
        }
        Refreshed { island: problem, context }.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// Writes the solved impulses into the pairs, where the next solve and the next step find them.
    pub fn remember(&mut self) {
        for (pair, cone) in self.problem.pairs.iter_mut().zip(&self.problem.problem.cones) {
            let x = &self.iterate.impulse;
            pair.impulse = [0.0; 4];
            pair.impulse[0] = x[cone.normal()].iter().sum();
            pair.impulse[1..1 + cone.n_friction].copy_from_slice(&x[cone.friction()]);
            if let Some(patch) = &mut pair.patch {
                patch.atoms.iter_mut().zip(&x[cone.normal()]).for_each(|(atom, x)| atom.impulse = *x);
            }
        }
        self.problem.remember_links(&self.iterate.impulse);
    }
}

/// Distributes bodies, pairs and joints over islands, bodies of a spring in one; an island keeps its solver while its first body stays first.
/// Returns their number.
pub fn distribute(
    islands: &mut Islands,
    pairs: &mut Vec<Pair>,
    links: &mut Vec<Link>,
    springs: &[(usize, usize)],
    local_of: &mut [usize],
    context: &StepContext<'_>,
    groups: &mut Vec<Island>,
) -> usize {
    let n = context.models.len();
    let joined = pairs.iter().map(|p| (p.body_a, p.body_b)).chain(springs.iter().copied());
    let joined = joined.chain(links.iter().map(|l| {
        let [a, b] = context.joints[l.joint].bodies;
        (a, b)
    }));
    islands.group(n, |b| context.models[b].fixed, joined);
    arrange(groups, &islands.first);
    for island in groups.iter_mut() {
        island.problem.bodies.clear();
        island.problem.pairs.clear();
        island.problem.links.clear();
    }
    for body in (0..n).filter(|b| islands.island_of[*b] != usize::MAX) {
        let bodies = &mut groups[islands.island_of[body]].problem.bodies;
        local_of[body] = bodies.len();
        bodies.push(body);
    }
    for pair in pairs.drain(..) {
        let body = if context.models[pair.body_a].fixed { pair.body_b } else { pair.body_a };
        groups[islands.island_of[body]].problem.pairs.push(pair);
    }
    for link in links.drain(..) {
        let [a, b] = context.joints[link.joint].bodies;
        let body = if context.models[a].fixed { b } else { a };
        groups[islands.island_of[body]].problem.links.push(link);
    }
    islands.n_islands()
}

/// Puts the solver whose island started with `first[i]` last time at place i, if there is one.
fn arrange(groups: &mut Vec<Island>, first: &[usize]) {
    while groups.len() < first.len() {
        groups.push(Island::default());
    }
    for (place, body) in first.iter().enumerate() {
        let found = (place..groups.len()).find(|k| groups[*k].problem.bodies.first() == Some(body));
        if let Some(found) = found {
            groups.swap(place, found);
        }
    }
}
