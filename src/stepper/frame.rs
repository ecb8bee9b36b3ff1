//! What the step of every model consists of.

use crate::contact::{BodyModel, MovedBody, NearPairs, Pair};
use crate::scene::State;
use crate::solver::Residual;
use crate::step::{Loads, StepInfo};
use crate::stepper::blocks::path_speed;
use crate::stepper::island::solve::Island;
use crate::stepper::step_context::StepContext;
use rayon::prelude::*;

/// How often a step is solved again because bodies turned out to touch that were not listed.
pub(super) const MOST_ROUNDS: usize = 8;

pub(super) fn place(models: &[BodyModel], state: &State, placed: &mut Vec<MovedBody>) {
    placed.clear();
    placed.extend(models.iter().zip(&state.poses).map(|(m, p)| MovedBody::new(m, p)));
}

/// As `placed`, but bodies with prescribed motion where they are after `time_step`.
pub(super) fn place_held(
    models: &[BodyModel],
    state: &State,
    loads: &Loads,
    time_step: f64,
    placed: &[MovedBody],
    held: &mut Vec<MovedBody>,
) {
    held.clear();
    held.extend_from_slice(placed);
    for (id, _) in &loads.driven {
        held[*id] =
            MovedBody::new(&models[*id], &state.poses[*id].advanced(&state.velocities[*id], time_step));
    }
}

/// Takes the bodies with prescribed motion to the end of the step.
pub(super) fn move_driven(loads: &Loads, before: &State, time_step: f64, after: &mut State) {
    for (id, _) in &loads.driven {
        after.poses[*id] = before.poses[*id].advanced(&before.velocities[*id], time_step);
    }
}

/// Lists the pairs that may touch within the step.
pub(super) fn find_near(near: &mut NearPairs, context: &StepContext<'_>) {
    let (h, loads) = (context.time_step, context.loads);
    let bounds = |pairs: &[Pair]| super::culling::bounds(context, pairs);
    let reach = |i: usize| {
        let model = &context.models[i];
        if model.fixed {
            // The radius of a half-space is not finite, and it does not turn.
            let speed = context.velocities[i].linear.norm();
            let spin = context.velocities[i].angular.norm();
            return h * if spin > 0.0 { speed + spin * model.radius } else { speed };
        }
        let pushed = (loads.force[i] * h + loads.linear_impulse[i]).norm() / model.mass;
        h * (path_speed(model, &context.velocities[i]) + pushed)
    };
    near.find(context.models, context.friction, context.placed, reach, bounds);
}

/// Islands are independent: any number of threads gives the same bits.
pub(super) fn solve_all(groups: &mut [Island], solve: impl Fn(&mut Island) + Sync) {
    if groups.len() > 1 {
        groups.par_iter_mut().for_each(&solve);
    } else {
        groups.iter_mut().for_each(&solve);
    }
}

/// Status, residual and contacts are those of the last round; work is summed over rounds.
pub(super) fn add_round(info: &mut StepInfo, groups: &[Island], unit: f64) {
    let mut round = StepInfo { n_islands: groups.len(), ..StepInfo::default() };
    let (mut largest, mut in_one_piece) = (unit, Residual::default());
    for island in groups {
        round.status = round.status.worse(island.status);
        round.residual = round.residual.worse(&island.info.residual);
        round.iterations = round.iterations.max(island.info.iterations);
        round.factorizations += island.info.factorizations;
        round.restarts += island.info.restarts;
        round.phase = round.phase.max(island.info.phase);
        round.times.add(&island.info.times);
        if island.halved.substeps.is_empty() {
            round.n_contacts += island.problem.pairs.len();
            in_one_piece = in_one_piece.worse(&island.info.residual);
            largest = largest.max(island.largest_impulse());
        } else {
            round.n_contacts += island.halved.contacts.len();
            round.n_substeps += island.halved.substeps.len();
            round.relative_residual = round.relative_residual.max(island.halved.relative_residual);
        }
    }
    let relative = in_one_piece.max() * unit / largest;
    if relative.is_nan() || relative > round.relative_residual {
        round.relative_residual = relative;
    }
    round.iterations += info.iterations;
    round.factorizations += info.factorizations;
    round.restarts += info.restarts;
    round.times.add(&info.times);
    *info = round;
}
