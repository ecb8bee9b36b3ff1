//! The islands of a step: bodies, pairs and joints that nothing connects with others.

use crate::contact::{Islands, Pair};
use crate::stepper::island::Island;
use crate::stepper::joints::JointMemory;
use crate::stepper::memory::IslandMemory;
use crate::stepper::parameters::BODIES_PER_RANK;
use crate::stepper::step_context::StepContext;
use rayon::prelude::*;
use std::collections::HashMap;

/// All islands; those of earlier steps with more islands are kept behind them.
#[derive(Debug, Default)]
pub struct IslandSet {
    groups: Islands,
    /// Place of each body within its island.
    local_of: Vec<usize>,
    /// Islands, boxed: they change places, and are large.
    islands: Vec<Box<Island>>,
    n_islands: usize,
}

impl IslandSet {
    /// Distributes bodies, pairs and joints over islands, bodies of a spring in one; an island keeps its
    /// solver while its first body stays first.
    pub fn distribute(
        &mut self,
        pairs: &mut Vec<Box<Pair>>,
        joint_memory: &mut Vec<JointMemory>,
        springs: &[(usize, usize)],
        context: &StepContext<'_>,
    ) {
        let Self { groups, local_of, islands, n_islands } = self;
        let n = context.models.bodies.len();
        let joint_bodies = |memory: &JointMemory| context.joints[memory.joint].bodies;
        let joined = pairs.iter().map(|p| (p.body_a, p.body_b)).chain(springs.iter().copied());
        let joined = joined.chain(joint_memory.iter().map(|j| joint_bodies(j).into()));
        let couplings = context.joints.iter().flat_map(|joint| &joint.couplings);
        let joined = joined.chain(couplings.flat_map(|coupling| coupling.links()));
        groups.group(n, |b| context.models.bodies[b].fixed, joined);
        arrange(islands, &groups.first);
        for island in islands.iter_mut() {
            island.problem.bodies.clear();
            island.problem.pairs.clear();
            island.problem.joint_memory.clear();
        }
        local_of.resize(n, 0);
        for body in (0..n).filter(|b| groups.island_of[*b] != usize::MAX) {
            let bodies = &mut islands[groups.island_of[body]].problem.bodies;
            local_of[body] = bodies.len();
            bodies.push(body);
        }
        let island_of =
            |a: usize, b: usize| groups.island_of[if context.models.bodies[a].fixed { b } else { a }];
        for pair in pairs.drain(..) {
            islands[island_of(pair.body_a, pair.body_b)].problem.pairs.push(pair);
        }
        for joint in joint_memory.drain(..) {
            let [a, b] = joint_bodies(&joint);
            islands[island_of(a, b)].problem.joint_memory.push(joint);
        }
        *n_islands = groups.n_islands();
    }

    /// The islands of this step.
    pub fn all(&mut self) -> &mut [Box<Island>] {
        &mut self.islands[..self.n_islands]
    }

    /// Solves the islands that ranks share, one after the other: all ranks have them in one order.
    pub fn solve_shared(&mut self, context: &StepContext<'_>, solve: impl Fn(&mut Island, &[usize])) {
        let Self { islands, n_islands, local_of, .. } = self;
        let islands = islands[..*n_islands].iter_mut();
        islands.filter(|island| is_shared(island, context)).for_each(|island| solve(island, local_of));
    }

    /// Solves all other islands. They are independent: any number of threads gives the same bits.
    pub fn solve_alone(&mut self, context: &StepContext<'_>, solve: impl Fn(&mut Island, &[usize]) + Sync) {
        let Self { islands, n_islands, local_of, .. } = self;
        let islands = &mut islands[..*n_islands];
        if islands.len() > 1 {
            let alone = islands.par_iter_mut().filter(|island| !is_shared(island, context));
            alone.for_each(|island| solve(island, local_of));
        } else {
            let alone = islands.iter_mut().filter(|island| !is_shared(island, context));
            alone.for_each(|island| solve(island, local_of));
        }
    }

    /// The solvers of all islands, those of earlier steps too.
    pub fn memory(&self) -> Vec<IslandMemory> {
        let islands = self.islands.iter().map(|island| IslandMemory {
            first_body: island.problem.bodies.first().copied(),
            solver: island.solver.memory(),
        });
        islands.collect()
    }

    /// Restores the islands of a memory, whose solvers go on from it.
    pub fn restore(&mut self, memory: &[IslandMemory]) {
        self.islands =
            memory.iter().map(|of| Box::new(Island::with_memory(of.first_body, &of.solver))).collect();
    }

    /// Gives pairs and joints back, in their fixed order.
    pub fn gather(&mut self, pairs: &mut Vec<Box<Pair>>, joint_memory: &mut Vec<JointMemory>) {
        for island in self.all() {
            pairs.append(&mut island.problem.pairs);
            joint_memory.append(&mut island.problem.joint_memory);
        }
        joint_memory.sort_unstable_by_key(|joint| joint.joint);
        pairs.sort_unstable_by_key(|pair| pair.key());
    }
}

/// Whether ranks solve an island together.
fn is_shared(island: &Island, context: &StepContext<'_>) -> bool {
    context.ranks.is_some_and(|ranks| island.problem.bodies.len() >= BODIES_PER_RANK * ranks.size())
}

/// Puts the solver whose island started with `first[i]` last time at place i. A new island begins with an
/// empty solver, whatever happened in other islands.
fn arrange(islands: &mut Vec<Box<Island>>, first: &[usize]) {
    let mut starts = islands.iter().map(|island| island.problem.bodies.first());
    if islands.len() >= first.len() && first.iter().all(|body| starts.next() == Some(Some(body))) {
        return;
    }
    let mut old: HashMap<usize, Box<Island>> = HashMap::with_capacity(islands.len());
    for island in islands.drain(..) {
        if let Some(body) = island.problem.bodies.first() {
            old.insert(*body, island);
        }
    }
    islands.extend(first.iter().map(|body| old.remove(body).unwrap_or_default()));
}
