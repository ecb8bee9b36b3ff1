//! The rows of joints in an impact, which hold rates: of equations those of the position phase, of closed
//! limits none. Motors keep their impulses.

use super::effects::{BoundEffect, RowEffect};
use super::end_rows::Phase;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::joints::{PlaceSlopes, Role, placement};
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use signorini_ncp::linalg::BLOCK;

/// A part of a joint: places of the joint in the island, of the part in it, and of its cone.
#[derive(Clone, Copy)]
struct PartAt {
    joint: usize,
    part: usize,
    cone: usize,
}

impl Phase<'_> {
    /// Finds the rows of joints.
    pub fn find_joints(&mut self, island: &mut IslandProblem) {
        for (at, role, n_rows) in parts(island, self.of.context) {
            let keeps_rate = match role {
                Role::Equations | Role::Motion(_) | Role::Coupling(_) => true,
                Role::Lower(_) | Role::Upper(_) => false,
                Role::Motor(..) | Role::Armature(_) | Role::Mortar => continue,
            };
            for i in 0..n_rows {
                self.find_joint_row(island, at, i, keeps_rate);
                if !keeps_rate {
                    self.add_driven_rate(island, at, i);
                }
            }
        }
    }

    /// Finds row i of a part.
    fn find_joint_row(&mut self, island: &mut IslandProblem, at: PartAt, i: usize, keeps_rate: bool) {
        let kept = if keeps_rate { 1.0 } else { 0.0 };
        if keeps_rate {
            let row = island.problem.cones[at.cone].row + i;
            self.rows.push(RowEffect { row, cone: at.cone, by: [0.0, 0.0, -kept], restitution: 0.0 });
        }
        let slopes = unit_stiffness(island, self.of.context, at, i);
        let (problem, led) = (&island.problem, &self.of.led.velocity);
        let bodies = problem.bodies_of(at.cone);
        let width = BLOCK * bodies.len();
        for (k, block) in (problem.block_offsets[at.cone]..).enumerate().take(bodies.len()) {
            let out = &mut self.moved[problem.value_offsets[block] + BLOCK * i..][..BLOCK];
            for (row, slopes) in slopes.chunks_exact(width).enumerate() {
                let place = BLOCK * bodies[row / BLOCK] + row % BLOCK;
                let along = self.velocity[place] - kept * led[place];
                out.iter_mut().zip(&slopes[BLOCK * k..]).for_each(|(out, slope)| *out += along * slope);
            }
        }
    }

    /// Adds to row i of a limit how the rate due to a body with prescribed motion changes with the place of
    /// the other body.
    fn add_driven_rate(&mut self, island: &IslandProblem, at: PartAt, i: usize) {
        let (context, h) = (self.of.context, self.of.context.time_step);
        let joint = &context.joints[island.joint_memory[at.joint].joint];
        let sides = island.local[island.pairs.len() + at.joint];
        for (side, id) in joint.bodies.into_iter().enumerate() {
            let Some(local) = sides[1 - side].filter(|_| context.models.bodies[id].fixed) else { continue };
            let end = joint.bodies.map(|id| placement(island.end_placement(context, id)));
            let slopes = joint.parts[at.part].place_slopes(i, &end, PlaceSlopes::of_bodies).force;
            let Velocity { linear, angular } = &context.velocities[id];
            let by = slopes.fixed_rows::<3>(BLOCK * side).tr_mul(linear)
                + slopes.fixed_rows::<3>(BLOCK * side + 3).tr_mul(angular);
            let half = |k: usize| by.fixed_rows::<3>(BLOCK * (1 - side) + 3 * k) * h;
            let turned = island.turn[local].tr_mul(&half(1));
            let first = island.problem.value_offsets[island.problem.block_offsets[at.cone]] + BLOCK * i;
            let out = self.moved[first..][..BLOCK].iter_mut();
            out.zip(half(0).iter().chain(turned.iter())).for_each(|(out, by)| *out += by);
        }
    }

    /// Impulses of motors in the first solve.
    pub fn motors(&self, island: &IslandProblem) -> Vec<BoundEffect> {
        if self.k > 0 {
            return Vec::new();
        }
        let motors = parts(island, self.of.context).into_iter();
        let motors = motors.filter(|(_, role, _)| matches!(role, Role::Motor(..)));
        let rows = motors.flat_map(|(at, ..)| island.problem.cones[at.cone].normal());
        rows.map(|row| BoundEffect { row, by: 1.0, restitution: 0.0 }).collect()
    }
}

/// The parts of an island's joints, with their roles and numbers of rows.
fn parts(island: &IslandProblem, context: &StepContext<'_>) -> Vec<(PartAt, Role, usize)> {
    let mut found = Vec::new();
    for (joint, link) in island.joint_memory.iter().enumerate() {
        for (part, of) in context.joints[link.joint].parts.iter().enumerate() {
            let cone = island.pairs.len() + found.len();
            found.push((PartAt { joint, part, cone }, of.role, of.n_rows()));
        }
    }
    found
}

/// K of row i of a part for a unit impulse, over the moving bodies of its cone, row by row.
fn unit_stiffness(island: &mut IslandProblem, context: &StepContext<'_>, at: PartAt, i: usize) -> Vec<f64> {
    let joint = &context.joints[island.joint_memory[at.joint].joint];
    let part = &joint.parts[at.part];
    if let Role::Coupling(k) = part.role {
        island.linearize_coupling(context, &joint.couplings[k], 1.0, at.cone);
        return island.problem.stiffness_of(at.cone).map(|(_, block)| block.to_vec()).unwrap_or_default();
    }
    let IslandProblem { problem, pairs, local, placed, turn, .. } = island;
    let sides = local[pairs.len() + at.joint];
    let end = [0, 1].map(|k| placement(placed.part(context, sides[k], joint.bodies[k], 0)));
    let turns = sides.map(|local| local.map(|l| &turn[l]));
    let width = BLOCK * problem.bodies_of(at.cone).len();
    let (mut block, mut unit) = (vec![0.0; width * width], vec![0.0; part.n_rows()]);
    unit[i] = 1.0;
    part.add_stiffness(&end, &turns, context.time_step, &unit, &mut block);
    block
}
