//! Momentum of the bodies of an island: masses, free momentum and gyroscopic torque.

use crate::geometry::pose::{cross_matrix, left_jacobian};
use crate::linalg::BLOCK;
use crate::settings::Gyroscopic;
use crate::stepper::blocks::{block_mass, velocity};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Rotation3, Vector3};

impl StepContext<'_> {
    /// Angular momentum at the start; of the middle of the last step under the staggered integrator.
    pub(super) fn spin_momentum(&self, id: usize, inertia: &Matrix3<f64>) -> Vector3<f64> {
        let spin = self.velocities[id].angular;
        let Some(last) = self.last_step else { return inertia * spin };
        middle_inertia(&self.models[id].inertia, &self.placed[id].rotation, &(spin * (-0.5 * last))) * spin
    }
}

/// R I Rᵀ with the rotation turned by a vector.
fn middle_inertia(inertia: &Matrix3<f64>, rotation: &Matrix3<f64>, turn: &Vector3<f64>) -> Matrix3<f64> {
    let rotation = Rotation3::from_scaled_axis(*turn).into_inner() * rotation;
    rotation * inertia * rotation.transpose()
}

impl IslandProblem {
    /// b and the derivative of the gyroscopic torque −ω × I ω at the iterate.
    pub(in crate::stepper) fn linearize_bodies(&mut self, context: &StepContext<'_>, v: &[f64]) {
        self.problem.at.free_momentum.copy_from_slice(&self.applied);
        if context.last_step.is_some() {
            return self.linearize_at_the_middle(context, v);
        }
        if context.gyroscopic == Gyroscopic::Explicit {
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

    /// A, b and the derivative of I_mid ω at the iterate.
    pub(super) fn linearize_at_the_middle(&mut self, context: &StepContext<'_>, v: &[f64]) {
        let h = context.time_step;
        for (local, &id) in self.bodies.iter().enumerate() {
            let (model, spin) = (&context.models[id], velocity(v, local).angular);
            let half = spin * (0.5 * h);
            let inertia = middle_inertia(&model.inertia, &context.placed[id].rotation, &half);
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            self.problem.mass[local] = block_mass(model.mass, &inertia);
            self.problem.mass_inverse[local] = block_mass(1.0 / model.mass, &inverse);
            let momentum = inertia * spin;
            let slope = (cross_matrix(&momentum) - inertia * cross_matrix(&spin)) * left_jacobian(&half);
            let block = &mut self.problem.at.stiffness.body[local];
            block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(slope * (0.5 * h)));
        }
    }
}
