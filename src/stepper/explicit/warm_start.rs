//! Warm start of the explicit models, and the proximal Newton method on one island.

use crate::stepper::explicit::LinearIsland;
use crate::stepper::island::Island;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_ncp::problem::ContactLaw;
use signorini_ncp::solver::SolveOptions;
use signorini_ncp::solver::StepProblem;

/// Starts an iterate with the impulses of the last step and the velocity that balances momentum with them.
pub fn load_warm_start(
    linear: &mut LinearIsland<'_>,
    iterate: &mut signorini_ncp::solver::Iterate,
    momentum: &mut Vec<f64>,
) {
    let LinearIsland { island, context, .. } = linear;
    let problem = &island.problem;
    iterate.impulse.clear();
    iterate.impulse.resize(problem.n_rows(), 0.0);
    let mut cones = problem.cones.iter();
    for pair in &island.pairs {
        match &pair.manifold {
            None if pair.is_hidden => {}
            None => {
                let Some(cone) = cones.next() else { break };
                let rows = cone.row..cone.row + cone.n_rows();
                iterate.impulse[rows].copy_from_slice(&pair.impulse[..cone.n_rows()]);
            }
            // Friction of single contact points is not stored.
            Some(manifold) => {
                for (point, cone) in manifold.points.iter().filter(|p| p.exerts()).zip(&mut cones) {
                    iterate.impulse[cone.row] = point.impulse;
                }
            }
        }
    }
    let stored = island.joint_memory.iter().flat_map(|link| &link.impulse);
    iterate.impulse[island.first_joint_row()..].iter_mut().zip(stored).for_each(|(x, r)| *x = *r);
    iterate.velocity.clear();
    for &id in &island.bodies {
        let v = &context.velocities[id];
        iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
    }
    linear.refresh(&iterate.velocity, &mut iterate.impulse);
    linear.island.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
}

/// Solves an island with the proximal Newton method under a law.
pub fn solve_by_proximal(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    law: ContactLaw,
    options: &SolveOptions,
) {
    island.info = Default::default();
    let is_small = island.problem.bodies.len() <= options.methods.small_island;
    let options = if is_small { options.small_island() } else { *options };
    let Island { problem, iterate, status, info, solver, momentum, .. } = island;
    let mut linear = LinearIsland::new(problem, context, local_of, law);
    load_warm_start(&mut linear, iterate, momentum);
    *status = solver.solve(&mut linear, iterate, &options, info);
}

/// Stores the impulses in the pairs, where the next step finds them.
pub(super) fn store_warm_start(island: &mut Island) {
    island.problem.store_joint_impulses(&island.iterate.impulse);
    let Island { problem: IslandProblem { pairs, problem, .. }, iterate, .. } = island;
    let mut cones = problem.cones.iter();
    for pair in pairs {
        pair.impulse = [0.0; 4];
        match &mut pair.manifold {
            None if pair.is_hidden => {}
            None => {
                let Some(cone) = cones.next() else { break };
                let x = &iterate.impulse[cone.row..cone.row + cone.n_rows()];
                pair.impulse[..x.len()].copy_from_slice(x);
            }
            Some(manifold) => {
                manifold.points.iter_mut().for_each(|point| point.impulse = 0.0);
                for (point, cone) in manifold.points.iter_mut().filter(|p| p.exerts()).zip(&mut cones) {
                    point.impulse = iterate.impulse[cone.row];
                    pair.impulse[0] += point.impulse;
                }
            }
        }
    }
}
