//! Impulses of the explicit models from step to step, and the production method on one island.

use crate::stepper::explicit::LinearIsland;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;
use signorini_ncp::problem::ContactLaw;
use signorini_ncp::solver::SolveOptions;
use signorini_ncp::solver::StepProblem;

/// Starts an iterate with the impulses of the last step and the velocity that balances momentum with them.
pub fn start(
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
            // Friction of single contact points is not remembered.
            Some(manifold) => {
                for (point, cone) in manifold.points.iter().filter(|p| p.exerts()).zip(&mut cones) {
                    iterate.impulse[cone.row] = point.impulse;
                }
            }
        }
    }
    let remembered = island.joint_memory.iter().flat_map(|link| &link.impulse);
    iterate.impulse[island.first_joint_row()..].iter_mut().zip(remembered).for_each(|(x, r)| *x = *r);
    iterate.velocity.clear();
    for &id in &island.bodies {
        let v = &context.velocities[id];
        iterate.velocity.extend(v.linear.iter().chain(v.angular.iter()));
    }
    linear.refresh(&iterate.velocity, &mut iterate.impulse);
    linear.island.problem.balance(&iterate.impulse, momentum, &mut iterate.velocity);
}

/// Solves an island with the production method under a law.
pub fn solve_by_core(
    island: &mut Island,
    context: &StepContext<'_>,
    local_of: &[usize],
    law: ContactLaw,
    run: &SolveOptions,
) {
    island.info = Default::default();
    let is_small = island.problem.bodies.len() <= run.methods.small_island;
    let run = if is_small { run.small_island() } else { *run };
    let Island { problem, iterate, status, info, solver, momentum, .. } = island;
    let mut linear = LinearIsland::new(problem, context, local_of, law);
    start(&mut linear, iterate, momentum);
    *status = solver.solve(&mut linear, iterate, &run, info);
}

/// Writes the impulses into the pairs, where the next step finds them.
pub(super) fn remember(island: &mut Island) {
    island.problem.remember_joints(&island.iterate.impulse);
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
