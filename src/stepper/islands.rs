//! The islands of a step: bodies, pairs and joints that nothing connects with others.

use crate::contact::{Islands, Pair};
use crate::stepper::island::Island;
use crate::stepper::joints::JointMemory;
use crate::stepper::memory::IslandMemory;
use crate::stepper::parameters::{BODIES_PER_RANK, JUDGED_PAIRS_PER_CHUNK};
use crate::stepper::step_context::StepContext;
use rayon::prelude::*;
use signorini_ncp::threads;
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
    /// Bodies of each pair that move; one of them twice if the other one does not.
    links: Vec<(usize, usize)>,
    /// Island of each pair, in their fixed order.
    home: Vec<usize>,
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
        let Self { groups, local_of, islands, n_islands, links, home } = self;
        let n = context.models.bodies.len();
        let fixed = |body: usize| context.models.bodies[body].fixed;
        let all = pairs.par_iter().with_min_len(threads::portion(n, JUDGED_PAIRS_PER_CHUNK));
        all.map(|pair| {
            let [a, b] = [pair.body_a, pair.body_b];
            (if fixed(a) { b } else { a }, if fixed(b) { a } else { b })
        })
        .collect_into_vec(links);
        let joint_bodies = |memory: &JointMemory| context.joints[memory.joint].bodies;
        let joined = links.iter().chain(springs).copied();
        let joined = joined.chain(joint_memory.iter().map(|j| joint_bodies(j).into()));
        let couplings = context.joints.iter().flat_map(|joint| &joint.couplings);
        let joined = joined.chain(couplings.flat_map(|coupling| coupling.links()));
        groups.group(n, fixed, joined);
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
        home.clear();
        home.extend(links.iter().map(|(body, _)| groups.island_of[*body]));
        for (pair, island) in pairs.drain(..).zip(&*home) {
            islands[*island].problem.pairs.push(pair);
        }
        for joint in joint_memory.drain(..) {
            let [a, b] = joint_bodies(&joint);
            islands[groups.island_of[if fixed(a) { b } else { a }]].problem.joint_memory.push(joint);
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
        let islands = &mut self.islands[..self.n_islands];
        islands.iter_mut().for_each(|island| joint_memory.append(&mut island.problem.joint_memory));
        joint_memory.sort_unstable_by_key(|joint| joint.joint);
        if islands.iter().map(|island| island.problem.pairs.len()).sum::<usize>() == self.home.len() {
            // Each island has its pairs in their order.
            pairs.extend(self.home.iter().rev().filter_map(|island| islands[*island].problem.pairs.pop()));
            pairs.reverse();
        } else {
            // An island found more.
            islands.iter_mut().for_each(|island| pairs.append(&mut island.problem.pairs));
            pairs.sort_unstable_by_key(|pair| pair.key());
        }
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
