//! Pairs linearised at an iterate: geometry, slip, force directions, response and stiffness.

mod cohesion;
mod coupling_rows;
pub mod joint_rows;
pub mod mortar;
mod pair_out;
pub mod pair_rows;
mod pairs;
pub mod rolling_rows;

use crate::contact::{CheckLevel, Placed};
use crate::stepper::blocks::velocity;
use crate::stepper::island::assemble::pair_rows::{PairMotion, PairRows};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::parameters::BODIES_PER_CHUNK;
use crate::stepper::step_context::StepContext;
use rayon::prelude::*;
use signorini_geometry::Velocity;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::Residual;

/// Velocities of two bodies with these places in the island.
pub(in crate::stepper) fn motion_of(
    context: &StepContext<'_>,
    v: &[f64],
    ids: [usize; 2],
    sides: [Option<usize>; 2],
) -> [Velocity; 2] {
    let of = |k: usize| sides[k].map_or_else(|| context.velocities[ids[k]], |local| velocity(v, local));
    [of(0), of(1)]
}

/// Velocities of the surfaces of two parts whose bodies have these velocities. The matrix neglects that a
/// surface which runs over a body turns with the body.
pub(in crate::stepper) fn passing(parts: [&Placed<'_>; 2], velocities: [Velocity; 2]) -> [Velocity; 2] {
    [parts[0].moved.passing(velocities[0]), parts[1].moved.passing(velocities[1])]
}

impl IslandProblem {
    /// Moves the equivalent contact point of pair c to the point that impulses x give, at the poses of the
    /// last refresh, and writes its rows with slip at v.
    pub(in crate::stepper) fn carry(
        &mut self,
        context: &StepContext<'_>,
        v: &[f64],
        x: &mut [f64],
        c: usize,
    ) {
        let velocity = self.motion(context, v, c);
        let Self { problem, pairs, local, placed, .. } = self;
        let (pair, cone) = (&mut pairs[c], problem.cones[c]);
        let [a, b] = placed.sides(context, local[c], pair);
        pair.carry([&a, &b], &x[cone.reserved()], &mut problem.at.load_fraction[cone.reserved()]);
        x[cone.shift()].fill(0.0);
        if cone.n_friction == 3 && pair.torsion_radius == 0.0 {
            x[cone.friction()][2] = 0.0;
        }
        problem.cones[c].friction_coefficient = pair.friction.coefficient * pair.geometry.alignment;
        let motion = PairMotion { velocity, time_step: context.time_step, turn: [None; 2] };
        let rows = PairRows::new(pair, cone);
        let blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
        let sides = [0, 1].into_iter().filter(|side| local[c][*side].is_some());
        for (side, block) in sides.zip(blocks) {
            let first = problem.value_offsets[block];
            rows.write_jacobian(side, &mut problem.at.jacobian[first..first + BLOCK * cone.n_rows()]);
        }
        rows.write_slip(&motion, &mut problem.at.slip[cone.row..cone.row + cone.n_rows()]);
        self.write_rolling(context, v, c);
    }

    /// Lets crossing lines of pair c carry load at one point, at the poses of the last refresh
    /// ([`crate::contact::manifold::ContactManifold::narrow`]). Returns whether the manifold changed.
    pub(in crate::stepper) fn narrow(
        &mut self,
        context: &StepContext<'_>,
        c: usize,
        closed: f64,
        x: &mut [f64],
    ) -> bool {
        let Self { pairs, local, placed, .. } = self;
        let [a, b] = placed.sides(context, local[c], &pairs[c]);
        pairs[c].manifold.as_mut().is_some_and(|manifold| manifold.narrow(&a, &b, closed, x))
    }

    /// Places the bodies at the end of the step with velocities v.
    pub(in crate::stepper) fn place_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        let Self { bodies, placed, turn, end_poses, .. } = self;
        let end = |(local, id): (usize, &usize)| context.end_pose_with_turn(*id, &velocity(v, local));
        bodies.par_iter().enumerate().with_min_len(BODIES_PER_CHUNK).map(end).collect_into_vec(end_poses);
        placed.clear();
        turn.clear();
        for (id, (pose, turned)) in bodies.iter().zip(end_poses) {
            placed.push(context, *id, pose);
            turn.push(*turned);
        }
    }

    /// Linearises everything at (v, x), with the bodies placed at the end pose of v; returns the true
    /// residual.
    pub(in crate::stepper) fn linearize(
        &mut self,
        context: &StepContext<'_>,
        v: &[f64],
        x: &mut [f64],
    ) -> Residual {
        self.linearize_bodies(context, v);
        self.linearize_pairs(context, v, x);
        let mut c = self.pairs.len();
        for l in 0..self.joint_memory.len() {
            c = self.linearize_joint(context, x, l, c);
        }
        self.linearize_rolling(context, v, x);
        self.apply_pulls(context);
        self.problem.update_weights();
        self.residual(context, v, x)
    }

    /// Velocities of the surfaces of pair c.
    pub(in crate::stepper) fn motion(&self, context: &StepContext<'_>, v: &[f64], c: usize) -> [Velocity; 2] {
        let pair = &self.pairs[c];
        let [a, b] = self.placed_at_end(context, pair);
        passing([&a, &b], motion_of(context, v, [pair.body_a, pair.body_b], self.local[c]))
    }

    /// Whether linearising everything again at the pose of the last refresh, under these checks, would change
    /// nothing.
    pub(in crate::stepper) fn is_settled(
        &self,
        context: &StepContext<'_>,
        x: &[f64],
        checks: CheckLevel,
    ) -> bool {
        self.pairs.iter().zip(&self.problem.cones).all(|(pair, cone)| {
            let [a, b] = self.placed_at_end(context, pair);
            let (size, x) = (a.model.smaller_size(b.model), &x[cone.reserved()]);
            pair.swept.is_none()
                && (checks < CheckLevel::Support || pair.is_patch_settled(&a, &b))
                && pair.manifold.as_ref().is_some_and(|p| p.is_settled(&a, &b, size, x, checks))
        })
    }

    /// Clears `active` for the contact points that cannot carry load at the pose of the last refresh
    /// ([`crate::contact::manifold::ContactManifold::could_carry_load`]).
    pub(in crate::stepper) fn clear_inactive(
        &self,
        context: &StepContext<'_>,
        x: &[f64],
        active: &mut [bool],
    ) {
        for (pair, cone) in self.pairs.iter().zip(&self.problem.cones) {
            let Some(manifold) = &pair.manifold else { continue };
            let [a, b] = self.placed_at_end(context, pair);
            let x = &x[cone.reserved()];
            for (k, row) in cone.normal().enumerate() {
                active[row] = manifold.could_carry_load(k, &a, &b, &pair.geometry.normal, x);
            }
        }
    }
}
