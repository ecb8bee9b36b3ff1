//! Bodies, pairs and joints over islands.

use crate::contact::{Islands, Pair};
use crate::stepper::island::solve::Island;
use crate::stepper::joints::Link;
use crate::stepper::step_context::StepContext;

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
