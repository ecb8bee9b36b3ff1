//! The joints of an island's problem: their cones, and their rows linearised at the end pose or at the pose
//! of the start.

use crate::stepper::island::assemble::mortar::law_rows;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::residual::units::rounding_of_place;
use crate::stepper::joints::{Role, placement};
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{ContactProblem, Stiffness, Units};

impl IslandProblem {
    /// Adds one cone per part of each joint, with values zero, and the sides of each joint to `local`.
    pub(in crate::stepper) fn add_joint_cones(&mut self, context: &StepContext<'_>, local_of: &[usize]) {
        self.first_joint_row = self.problem.n_rows();
        let clock = context.clock();
        for l in 0..self.joint_memory.len() {
            let joint = &context.joints[self.joint_memory[l].joint];
            let local = joint.bodies.map(|id| (!context.models.bodies[id].fixed).then(|| local_of[id]));
            for part in &joint.parts {
                joint.bounds(part, &clock, &mut self.bounds);
                if let Role::Coupling(i) = part.role {
                    let bodies = Self::coupled_bodies(context, &joint.couplings[i], local_of);
                    self.problem.add_bounded(bodies.into_iter(), &self.bounds);
                } else if part.role == Role::Mortar {
                    self.add_mortar_cone(context, l, local.into_iter().flatten());
                } else {
                    self.problem.add_bounded(local.into_iter().flatten(), &self.bounds);
                }
                self.problem.soften_last(joint.compliance(part, &clock));
                self.problem.weigh_last(joint.mass_ratios(part));
            }
            self.local.push(local);
        }
    }

    /// Adds the rows of the joints with the geometry of the start of the step: y = J v + ψ/h.
    pub(in crate::stepper) fn add_joints_of_the_start(
        &mut self,
        context: &StepContext<'_>,
        local_of: &[usize],
    ) {
        let mut c = self.problem.cones.len();
        self.add_joint_cones(context, local_of);
        let problem = &mut self.problem;
        for link in &self.joint_memory {
            let joint = &context.joints[link.joint];
            let began = context.joint_start(joint);
            let start = began.at;
            for part in &joint.parts {
                let rows = problem.cones[c].normal();
                joint.write_slip(part, &start, &began, &context.clock(), &mut problem.at.slip[rows.clone()]);
                let sides = joint.bodies.map(|id| (!context.models.bodies[id].fixed).then_some(id));
                part.write_jacobian(&start, &places(problem, c, &sides), &mut problem.at.jacobian);
                for (side, id) in joint.bodies.into_iter().enumerate().filter(|(k, _)| sides[*k].is_none()) {
                    let v = &context.velocities[id];
                    part.add_rate(side, &start, v, &mut problem.at.slip[rows.clone()]);
                }
                c += 1;
            }
        }
    }

    /// First row of the joints in the problem.
    pub(in crate::stepper) fn first_joint_row(&self) -> usize {
        self.first_joint_row
    }

    /// Stores solved impulses in the joints.
    pub(in crate::stepper) fn store_joint_impulses(&mut self, x: &[f64]) {
        let mut rows = self.first_joint_row;
        for link in &mut self.joint_memory {
            let n = link.impulse.len();
            link.impulse.copy_from_slice(&x[rows..rows + n]);
            rows += n;
        }
        self.settle_stored_mortar();
    }

    /// Linearises the rows of a joint at the end pose (forces of the staggered integrator at the start) for
    /// impulses x; its first cone is c. Returns the next cone.
    pub(in crate::stepper) fn linearize_joint(
        &mut self,
        context: &StepContext<'_>,
        x: &[f64],
        l: usize,
        mut c: usize,
    ) -> usize {
        let joint = &context.joints[self.joint_memory[l].joint];
        let own = joint.parts.len() - joint.couplings.len();
        for (k, coupling) in joint.couplings.iter().enumerate() {
            let cone = c + own + k;
            let load = x[self.problem.cones[cone].row];
            self.linearize_coupling(context, coupling, load, cone);
        }
        let sides = self.local[self.pairs.len() + l];
        let end = [0, 1].map(|k| placement(self.placed.part(context, sides[k], joint.bodies[k], 0)));
        let began = context.joint_start(joint);
        let start = began.at;
        let at_start = context.last_step.is_some() && !self.joint_memory[l].at_end;
        for part in &joint.parts[..own] {
            let mortar = self.mortar_of(c);
            let Self { problem, turn, .. } = self;
            let (h, turns) = (context.time_step, sides.map(|local| local.map(|l| &turn[l])));
            let rows = law_rows(&problem.cones[c]);
            let of_mortar = mortar.map(|mortar| mortar.acting(&x[rows.clone()]));
            let acting = of_mortar.as_ref().map_or(&x[rows.clone()], |acting| acting);
            joint.write_slip(part, &end, &began, &context.clock(), &mut problem.at.slip[rows.clone()]);
            problem.at.stiffness.start[c] = Stiffness::NONE;
            if !at_start && acting.iter().any(|x| *x != 0.0) {
                let first = problem.at.stiffness.blocks.len();
                problem.at.stiffness.start[c] = first;
                let width = BLOCK * sides.iter().flatten().count();
                problem.at.stiffness.blocks.resize(first + width * width, 0.0);
                part.add_stiffness(&end, &turns, h, acting, &mut problem.at.stiffness.blocks[first..]);
            }
            let places = places(problem, c, &sides);
            part.write_jacobian(&end, &places, &mut problem.at.response);
            if at_start {
                part.write_jacobian(&start, &places, &mut problem.at.jacobian);
            } else {
                for first in places.into_iter().flatten() {
                    let range = first..first + BLOCK * rows.len();
                    problem.at.jacobian[range.clone()].copy_from_slice(&problem.at.response[range]);
                }
            }
            part.turn_response(&turns, &places, &mut problem.at.response);
            if part.role == Role::Mortar {
                self.settle_mortar(c);
            }
            c += 1;
        }
        c + joint.couplings.len()
    }

    /// Largest violation of the joints' rows beyond rounding over the size of the joint, and largest
    /// violation of their laws, each in its unit.
    pub(in crate::stepper) fn joint_violation(&self, context: &StepContext<'_>, x: &[f64]) -> [f64; 2] {
        let first = self.pairs.len();
        let Units { cones: units, stiffening, .. } = &self.problem.at.units;
        let units = units[first..].iter().zip(&stiffening[first..]);
        let mut cones = self.problem.cones[first..].iter().zip(units);
        let (mut worst, mut law) = (0.0, 0.0);
        for joint in self.joint_memory.iter().map(|link| &context.joints[link.joint]) {
            let rounding: f64 = joint
                .bodies
                .iter()
                .map(|id| rounding_of_place(&context.models.bodies[*id], &context.poses[*id].position))
                .sum();
            for (part, (cone, (unit, stiffening))) in joint.parts.iter().zip(&mut cones) {
                let slip = &self.problem.at.slip[cone.normal()];
                let rounding = match part.role {
                    Role::Coupling(i) => self.coupling_rounding(context, &joint.couplings[i]),
                    _ => rounding,
                };
                let apart = joint.violation(part, slip, self.time_step) - rounding;
                worst = signorini_kernels::math::larger(worst, apart / joint.size);
                let bounds = &self.problem.bounds[cone.normal()];
                let (acting, clock) = ((&x[cone.normal()], slip), context.clock());
                let found = joint.law(part, bounds, acting, *stiffening, &clock);
                law = signorini_kernels::math::larger(law, found / unit);
            }
        }
        [worst, law]
    }
}

/// Offset of the rows of each moving side of a cone.
pub(in crate::stepper) fn places(
    problem: &ContactProblem,
    c: usize,
    sides: &[Option<usize>; 2],
) -> [Option<usize>; 2] {
    let mut blocks = problem.block_offsets[c]..problem.block_offsets[c + 1];
    sides.map(|side| side.and_then(|_| blocks.next()).map(|k| problem.value_offsets[k]))
}
