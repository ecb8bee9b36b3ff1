//! Turns that joints make within a step. Rows of the end pose hold after whole turns as well, and often after
//! half a turn: such roots are no motion of the bodies from their start (theory §4.5).

use crate::stepper::blocks::velocity;
use crate::stepper::island::Island;
use crate::stepper::joints::{JointModel, placement};
use crate::stepper::parameters::{MAX_GAIN_BY_JOINTS, MAX_TURN_BY_JOINTS, MAX_USUAL_GAIN_BY_JOINTS};
use crate::stepper::step_context::StepContext;
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_geometry::linkage::Placement;
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::SolveStatus;
use std::f64::consts::PI;

impl Island {
    /// Takes back a solution of a step or substep that joints do not lead to: the step is halved, or stays
    /// unsolved. Its residual is then the turn over the largest one.
    pub(in crate::stepper) fn refuse_turns(&mut self, context: &StepContext<'_>) {
        // Bodies in flat arrays that have joints do not turn.
        if self.problem.joint_memory.is_empty() || self.flat.is_solution || !self.status.is_solved() {
            return;
        }
        let Some((joint, turn)) = self.largest_turn(context) else { return };
        if turn > 1.0 || self.gains_by_joints(context, MAX_GAIN_BY_JOINTS) {
            self.status = SolveStatus::TurnedTooFar;
            self.turned_joint = Some(joint);
            self.info.residual.complementarity = self.info.residual.complementarity.max(turn.max(1.0));
        }
    }

    /// The joint at which impulses turn most within the step, one body or one relative to the other, with
    /// that turn over the largest one that is allowed. A joint that ends reversed has made half a turn.
    fn largest_turn(&self, context: &StepContext<'_>) -> Option<(usize, f64)> {
        let (h, free) = (context.time_step, self.problem.free_momentum());
        let of = |joint: &JointModel| {
            let made = joint.bodies.map(|id| self.made(id, &free));
            let apart = made[1].angular - made[0].angular;
            let spin = [made[0].angular, made[1].angular, apart].map(|w| w.norm());
            let turn = h * spin.into_iter().fold(0.0, f64::max) / MAX_TURN_BY_JOINTS;
            let gone = [0, 1].map(|k| made[k].linear * h);
            let end = joint.bodies.map(|id| self.placement_at_end(context, id));
            if joint.is_reversed(&end, &gone) { turn.max(PI / MAX_TURN_BY_JOINTS) } else { turn }
        };
        let turns =
            self.problem.joint_memory.iter().map(|link| (link.joint, of(&context.joints[link.joint])));
        turns.reduce(|most, next| if next.1.total_cmp(&most.1).is_gt() { next } else { most })
    }

    /// Velocity that the impulses of the step gave a body of the momenta `free` (N s) without them; loads are
    /// none of them.
    fn made(&self, id: usize, free: &[f64]) -> Velocity {
        let Ok(local) = self.problem.bodies.binary_search(&id) else { return Velocity::default() };
        let problem = &self.problem.problem;
        let free = problem.mass_inverse[local] * vector6(free, local);
        let v = velocity(&self.iterate.velocity, local);
        let [linear, angular] =
            [0, 3].map(|first| Vector3::new(free[first], free[first + 1], free[first + 2]));
        Velocity { linear: v.linear - linear, angular: v.angular - angular }
    }

    fn placement_at_end(&self, context: &StepContext<'_>, id: usize) -> Placement {
        let Ok(local) = self.problem.bodies.binary_search(&id) else {
            return placement(self.problem.end_placement(context, id));
        };
        let end = self.problem.end_pose(context, &self.iterate.velocity, local);
        Placement { position: end.position, rotation: end.rotation() }
    }

    /// Whether a solution with joints fails the energy check: halves of the step may gain less.
    pub(super) fn gains_energy_by_joints(&self, context: &StepContext<'_>) -> bool {
        self.gains_by_joints(context, MAX_USUAL_GAIN_BY_JOINTS)
    }

    /// Whether joints alone, without drives, bring more than a part of the energy of the free motion:
    /// ```text
    /// ½ ‖v‖² > (1 + part) ½ ‖A⁻¹ b‖² + work of what is off at the start and of residuals
    /// ```
    fn gains_by_joints(&self, context: &StepContext<'_>, part: f64) -> bool {
        let problem = &self.problem;
        let models = || problem.joint_memory.iter().map(|link| &context.joints[link.joint]);
        let moves =
            |id: usize| context.models.bodies[id].fixed && context.velocities[id] != Default::default();
        let is_driven = models().any(|joint| joint.is_driven() || joint.bodies.into_iter().any(moves));
        let first = problem.first_joint_row();
        let is_touched = self.iterate.impulse[..first].iter().any(|x| *x != 0.0);
        if is_driven || is_touched || context.last_step.is_some() {
            return false;
        }
        let (size, free) = (self.size(), self.free_size());
        let (mut work, mut x) = (0.0, &self.iterate.impulse[first..]);
        for joint in models() {
            let (own, rest) = x.split_at(joint.n_rows());
            x = rest;
            work += joint.work_from_start(own, &context.joint_start(joint), &context.clock());
            let coupled = joint.couplings.iter().zip(&own[joint.n_rows() - joint.couplings.len()..]);
            let off = coupled.map(|(coupling, x)| x * coupling.off(context.coupling_start(coupling)));
            work += off.map(f64::abs).sum::<f64>() / context.time_step;
        }
        let units = problem.problem.at.units.bodies.iter().map(|unit| unit.momentum).sum::<f64>();
        let lightest =
            problem.bodies.iter().map(|id| context.models.bodies[*id].mass).fold(f64::MAX, f64::min);
        work += context.solver.tolerance * units * size / lightest.sqrt();
        size * size > (1.0 + part) * free * free + (work + work)
    }
}
