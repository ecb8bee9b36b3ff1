//! Pairs frozen at an iterate: geometry, slip, force directions, response and stiffness, by a backend or here.

use super::{BAN_BELOW, IslandProblem, StepContext, velocity};
use crate::contact::{PairGeometry, Placed};
use crate::linalg::BLOCK;
use crate::problem::Stiffness;
use crate::stepper::pair_batch::{Posed, reserve_stiffness};
use crate::stepper::pair_rows::PairRows;

impl IslandProblem {
    /// Has the smooth pairs evaluated by the step's backend, if there is one.
    pub(super) fn evaluate_batch(&mut self, context: &StepContext<'_>, v: &[f64], x: &[f64]) {
        let Self { problem, pairs, local, placed, turn, batch, boxes, .. } = self;
        let posed = Posed { placed, turn, velocity: v, local };
        batch.evaluate(context, &posed, pairs, &problem.cones, x);
        boxes.evaluate(context, &posed, pairs);
    }

    /// Evaluates one pair at the end pose and freezes its rows for impulses x, whose shift rows become 0.
    pub(super) fn freeze_pair(&mut self, context: &StepContext<'_>, v: &[f64], x: &mut [f64], c: usize) {
        let Self { problem, pairs, local, placed, turn, search, batch, boxes, last_residual, .. } = self;
        let sides = local[c];
        let pair = &mut pairs[c];
        let [a, b] = [(sides[0], pair.body_a), (sides[1], pair.body_b)].map(|(local, id)| Placed {
            model: &context.models[id],
            moved: local.map_or(&context.held[id], |l| &placed[l]),
        });
        let cone = problem.cones[c];
        let (size, h) = (a.model.smaller_size(b.model), context.time_step);
        let share = &mut problem.share[cone.normal()];
        let exact = batch.geometry(context, c);
        match exact {
            Some(found) => pair.geometry = PairGeometry::found(found),
            None => {
                search.given = boxes.given(c, &a, &b);
                pair.refresh(&a, &b, size, search, &mut x[cone.normal()], share, *last_residual < BAN_BELOW)
            }
        }
        x[cone.shift()].fill(0.0);
        problem.cones[c].friction_coefficient = pair.friction.coefficient * pair.geometry.alignment;
        let ids = [pair.body_a, pair.body_b];
        let motion = [0, 1].map(|k| sides[k].map_or(context.velocities[ids[k]], |l| velocity(v, l)));
        let rows = PairRows::new(pair, cone);
        let slip = &mut problem.slip[cone.row..cone.row + cone.n_rows()];
        match exact {
            Some(_) => batch.write_slip(c, slip),
            None => rows.write_slip(&motion, h, slip),
        }
        let turns = sides.map(|local| local.map(|l| &turn[l]));
        problem.stiffness.start[c] = Stiffness::NONE;
        let loaded = x[cone.normal()].iter().any(|x| *x > 0.0);
        let stiffness = loaded.then(|| {
            let n_bodies = sides.iter().flatten().count();
            reserve_stiffness(&mut problem.stiffness, c, n_bodies)
        });
        let tangent = stiffness.and_then(|range| {
            let out = &mut problem.stiffness.blocks[range];
            if batch.holds(c) {
                batch.write_stiffness(c, &sides, out);
                return None;
            }
            let x = &x[cone.row..cone.row + cone.n_law_rows()];
            Some(rows.add_stiffness(&a, &b, &turns, h, x, out))
        });
        let mut k = problem.start[c];
        for (side, turn) in turns.iter().enumerate() {
            let Some(turn) = turn else { continue };
            let range = problem.value_start[k]..problem.value_start[k] + BLOCK * cone.n_rows();
            k += 1;
            let jacobian = &mut problem.jacobian[range.clone()];
            match exact {
                Some(_) => batch.write_jacobian(c, side, jacobian),
                None => rows.write_jacobian(side, jacobian),
            }
            let (jacobian, response) = (&problem.jacobian[range.clone()], &mut problem.response[range]);
            match batch.holds(c) {
                true => batch.write_response(c, side, jacobian, response),
                false => rows.write_response(side, jacobian, &motion, h, turn, tangent.as_ref(), response),
            }
        }
    }
}
