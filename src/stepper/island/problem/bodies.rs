//! Momentum of the bodies of an island: masses, free momentum and gyroscopic torque, and where the bodies are
//! at the end of the step (theory §1.3, §1.4).

use crate::stepper::blocks::{block_mass, velocity};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Rotation3, Vector3};
use signorini_geometry::flight::FlownOrientation;
use signorini_geometry::pose::{cross_matrix, left_jacobian};
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::Iterate;
use signorini_scene::settings::Gyroscopic;

impl StepContext<'_> {
    /// Whether bodies turn between impulses as free ones do.
    pub(in crate::stepper) fn flies(&self) -> bool {
        self.last_step.is_none() && self.gyroscopic == Gyroscopic::Exact
    }

    /// Whether the momentum rows depend on the spin by more than their masses.
    pub(in crate::stepper) fn has_spin_slope(&self) -> bool {
        self.last_step.is_some() || self.gyroscopic == Gyroscopic::Implicit
    }

    /// Pose of a body at the end of the step, with velocity v once the impulses of the step have acted.
    pub(in crate::stepper) fn end_pose(&self, id: usize, v: &Velocity) -> Pose {
        let (start, body) = (&self.poses[id], self.models.bodies[id].turning());
        if !self.flies() || body.is_isotropic() {
            return start.advanced(v, self.time_step);
        }
        let orientation = body.fly(&start.orientation, &v.angular, self.time_step);
        Pose { position: start.position + v.linear * self.time_step, orientation }
    }

    /// Pose of a body at the end of the step, with the derivative of its turn: δθ⁺ = h turn δω.
    pub(in crate::stepper) fn end_pose_with_turn(&self, id: usize, v: &Velocity) -> (Pose, Matrix3<f64>) {
        let (start, body, h) = (&self.poses[id], self.models.bodies[id].turning(), self.time_step);
        if !self.flies() || body.is_isotropic() {
            return (start.advanced(v, h), left_jacobian(&(v.angular * h)));
        }
        let FlownOrientation { orientation, mut turn } =
            body.fly_with_turn(&start.orientation, &v.angular, h);
        if self.exact_turns {
            turn = body.exact_turn(&start.orientation, &v.angular, h);
        }
        (Pose { position: start.position + v.linear * h, orientation }, turn)
    }

    /// Velocity at the end of the step of a body whose end pose follows from velocity v.
    pub(in crate::stepper) fn end_velocity(&self, id: usize, v: &Velocity, end: &Pose) -> Velocity {
        let (body, start) = (self.models.bodies[id].turning(), &self.poses[id].orientation);
        if !self.flies() || body.is_isotropic() || v.angular == Vector3::zeros() {
            return *v;
        }
        Velocity { angular: body.spin(&end.orientation, &body.momentum(start, &v.angular)), ..*v }
    }

    /// Angular momentum at the start; that of the middle of the last step under the staggered integrator.
    pub(in crate::stepper) fn spin_momentum(&self, id: usize, inertia: &Matrix3<f64>) -> Vector3<f64> {
        let spin = self.velocities[id].angular;
        let Some(last) = self.last_step else { return inertia * spin };
        middle_inertia(
            &self.models.bodies[id].inertia,
            &self.body_at_start(id).rotation,
            &(spin * (-0.5 * last)),
        ) * spin
    }
}

/// R I Rᵀ with the rotation turned by a vector.
fn middle_inertia(inertia: &Matrix3<f64>, rotation: &Matrix3<f64>, turn: &Vector3<f64>) -> Matrix3<f64> {
    let rotation = Rotation3::from_scaled_axis(*turn).into_inner() * rotation;
    rotation * inertia * rotation.transpose()
}

impl IslandProblem {
    /// Writes b and, where a gyroscopic torque −ω × I ω acts, its derivative at the iterate.
    pub(in crate::stepper) fn linearize_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.problem.at.free_momentum.copy_from_slice(&self.applied);
        if context.last_step.is_some() {
            return self.linearize_at_the_middle(context, v);
        }
        if !context.has_spin_slope() {
            return;
        }
        let h = context.time_step;
        for (local, inertia) in self.inertia.iter().enumerate() {
            let omega = velocity(v, local).angular;
            let spin = inertia * omega;
            let torque = -omega.cross(&spin) * h;
            for i in 0..3 {
                self.problem.at.free_momentum[BLOCK * local + 3 + i] += torque[i];
            }
            let slope = (cross_matrix(&spin) - cross_matrix(&omega) * inertia) * h;
            self.problem.at.stiffness.body[local].fixed_view_mut::<3, 3>(3, 3).copy_from(&slope);
        }
    }

    /// Writes A, b and the derivative of I_mid ω at the iterate.
    pub(in crate::stepper) fn linearize_at_the_middle(&mut self, context: &StepContext<'_>, v: &[f64]) {
        let h = context.time_step;
        for (local, &id) in self.bodies.iter().enumerate() {
            let (model, spin) = (&context.models.bodies[id], velocity(v, local).angular);
            let half = spin * (0.5 * h);
            let inertia = middle_inertia(&model.inertia, &context.body_at_start(id).rotation, &half);
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.problem.mass[local] = block_mass(model.mass, &inertia);
            self.problem.mass_inverse[local] = block_mass(1.0 / model.mass, &inverse);
            let momentum = inertia * spin;
            let slope = (cross_matrix(&momentum) - inertia * cross_matrix(&spin)) * left_jacobian(&half);
            let block = &mut self.problem.at.stiffness.body[local];
            block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(slope * (0.5 * h)));
        }
    }

    /// Gives bodies on which no torque acted their old spin back.
    pub(in crate::stepper) fn keep_free_spins(&mut self, context: &StepContext<'_>, iterate: &mut Iterate) {
        self.gather_impulses(context, &iterate.impulse);
        if !context.flies() {
            return;
        }
        let blocks = iterate.velocity.chunks_exact_mut(BLOCK).zip(self.momentum.chunks_exact(BLOCK));
        for ((v, impulse), &id) in blocks.zip(&self.bodies) {
            if impulse[3..].iter().all(|part| *part == 0.0) {
                v[3..].copy_from_slice(context.velocities[id].angular.as_slice());
            }
        }
    }

    /// Sums up the angular impulses on each body, from impulses `x`, pulls, loads and impulses that act once.
    fn gather_impulses(&mut self, context: &StepContext<'_>, x: &[f64]) {
        self.momentum.fill(0.0);
        self.problem.add_forces(x, 1.0, &mut self.momentum);
        subtract_pulls(&self.pulls, &self.problem, &mut self.momentum);
        let (h, loads) = (context.loaded_time(), context.loads);
        for (local, &id) in self.bodies.iter().enumerate() {
            let applied = loads.torque[id] * h + loads.angular_impulse[id];
            for (sum, applied) in self.momentum[BLOCK * local + 3..].iter_mut().zip(applied.iter()) {
                *sum += applied;
            }
        }
    }
}

/// Subtracts the pulls of pairs from the momentum of the bodies, along the normals of the last refresh.
pub(in crate::stepper) fn subtract_pulls(pulls: &[f64], problem: &ContactProblem, momentum: &mut [f64]) {
    for (c, pull) in pulls.iter().enumerate().filter(|(_, pull)| **pull != 0.0) {
        for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
            let row = &problem.at.jacobian[problem.value_offsets[k]..][..BLOCK];
            let body = &mut momentum[BLOCK * problem.block_body[k]..][..BLOCK];
            body.iter_mut().zip(row).for_each(|(b, n)| *b -= pull * n);
        }
    }
}
