//! One island with its solver: what is solved on its own, in parallel with the others.

use super::island_problem::{IslandProblem, Refreshed, StepContext};
use crate::contact::{Islands, Pair};
use crate::solver::{ConicValue, CoreSettings, Info, Iterate, SolveStatus, Solver, StepProblem};

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
    /// Value of the island's problem, where the model is a convex one.
    pub conic: Option<ConicValue>,
    pub(super) solver: Solver,
    pub(super) momentum: Vec<f64>,
}

impl Island {
    /// Solves the island's step to `tolerance`, from the impulses its pairs remember.
    pub fn solve(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
        settings: &CoreSettings,
        tolerance: f64,
    ) {
        self.problem.set_up(context, local_of);
        self.info = Info::default();
        self.warm_start(context);
        if self.problem.bodies.len() > settings.small_island {
            self.status = self.run(context, settings, tolerance);
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
                patience: 2,
                // The modes are right by now: large ρ is Newton's method.
                warm_rho: small.polish_rho,
                ..small
            };
            self.run(context, &polish, goal);
        }
    }

    fn run(&mut self, context: &StepContext<'_>, settings: &CoreSettings, tolerance: f64) -> SolveStatus {
        let mut problem = Refreshed { island: &mut self.problem, context };
        let Self { solver, iterate, info, .. } = self;
        solver.solve(&mut problem, iterate, tolerance, None, settings, info)
    }

    /// Impulses of the last step, and the velocity that balances momentum with them: v = A⁻¹(b + Jᵀ x).
    fn warm_start(&mut self, context: &StepContext<'_>) {
        let Self { problem, iterate, momentum, .. } = self;
        iterate.impulse.clear();
        iterate.impulse.resize(problem.problem.n_rows(), 0.0);
        for (pair, cone) in problem.pairs.iter().zip(&problem.problem.cones) {
            let rows = cone.row..cone.row + cone.n_rows();
            iterate.impulse[rows].copy_from_slice(&pair.impulse[..cone.n_rows()]);
        }
        iterate.velocity.clear();
        for &id in &problem.bodies {
            let v = &context.velocities[id];
            iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
        }
        Refreshed { island: problem, context }.refresh(&iterate.velocity, &iterate.impulse);
        problem.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
    }

    /// Writes the solved impulses into the pairs, where the next solve and the next step find them.
    pub fn remember(&mut self) {
        for (pair, cone) in self.problem.pairs.iter_mut().zip(&self.problem.problem.cones) {
            let x = &self.iterate.impulse[cone.row..cone.row + cone.n_rows()];
            pair.impulse = [0.0; 4];
            pair.impulse[..x.len()].copy_from_slice(x);
        }
    }
}

/// Distributes bodies and pairs over islands, bodies of a link in one; an island keeps its solver while its first body stays first.
/// Returns their number.
pub fn distribute(
    islands: &mut Islands,
    pairs: &mut Vec<Pair>,
    links: &[(usize, usize)],
    local_of: &mut [usize],
    context: &StepContext<'_>,
    groups: &mut Vec<Island>,
) -> usize {
    let n = context.models.len();
    let joined = pairs.iter().map(|p| (p.body_a, p.body_b)).chain(links.iter().copied());
    islands.group(n, |b| context.models[b].fixed, joined);
    arrange(groups, &islands.first);
    for island in groups.iter_mut() {
        island.problem.bodies.clear();
        island.problem.pairs.clear();
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
