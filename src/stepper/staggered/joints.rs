//! Joints under the staggered integrator: those that let a body swing faster than the step resolves act at
//! the end.
//!
//! The reactions f_i of a body's joints at arms r_i hold its direction with K = −Σ [f_i]× [r_i]×, which is
//! the same about any point where they balance the other loads.
//! the largest eigenvalue of I_c⁻¹ K, I_c the inertia about the joint; Verlet's method blows up where h²
//! times that of the whole chain, up to four times as much, exceeds 4.

use crate::contact::{BodyModel, MovedPart};
use crate::stepper::joints::{JointMemory, JointModel, placement};
use crate::stepper::parameters::RESOLVED_CHI;
use crate::stepper::staggered::Workspace;
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::pose::cross_matrix;

/// Sets for each joint whether it acts at the start or at the end of a step, after one of `last` seconds.
pub(in crate::stepper) fn begin_joints(
    joint_memory: &mut [JointMemory],
    context: &StepContext<'_>,
    last: f64,
    Workspace { stiffness, .. }: &mut Workspace,
) {
    let StepContext { models, joints, time_step: h, .. } = *context;
    let at = |id: usize| context.body_at_start(id);
    stiffness.clear();
    stiffness.resize(models.bodies.len(), Matrix3::zeros());
    let arms = |joint: &JointModel, point: &Vector3<f64>| joint.bodies.map(|id| point - at(id).position);
    for link in joint_memory.iter() {
        let joint = &joints[link.joint];
        let (point, impulse) = joint.impulse_at(&link.impulse, &joint.bodies.map(|id| placement(at(id))));
        for ((id, arm), sign) in joint.bodies.into_iter().zip(arms(joint, &point)).zip([-1.0, 1.0]) {
            stiffness[id] -= cross_matrix(&(impulse * sign)) * cross_matrix(&arm);
        }
    }
    for link in joint_memory.iter_mut() {
        let joint = &joints[link.joint];
        let (point, _) = joint.impulse_at(&[], &joint.bodies.map(|id| placement(at(id))));
        let mut fastest = 0.0_f64;
        for (id, arm) in joint.bodies.into_iter().zip(arms(joint, &point)) {
            if !models.bodies[id].fixed && last > 0.0 {
                let rate = swing(&models.bodies[id], at(id), &arm, &(stiffness[id] / last));
                // A NaN counts as fast, and so damps.
                fastest = if rate.is_nan() { f64::INFINITY } else { fastest.max(rate) };
            }
        }
        link.at_end = h * h * fastest > RESOLVED_CHI;
    }
}

/// Largest eigenvalue of I_c⁻¹ K (1/s²).
fn swing(model: &BodyModel, placed: &MovedPart, arm: &Vector3<f64>, stiffness: &Matrix3<f64>) -> f64 {
    let about = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
    let inertia = placed.rotation * model.inertia * placed.rotation.transpose() + about * model.mass;
    let even = (stiffness + stiffness.transpose()) * 0.5;
    let Some(root) = inertia.cholesky().map(|c| c.l()) else { return f64::NAN };
    let Some(inverse) = root.try_inverse() else { return f64::NAN };
    (inverse * even * inverse.transpose()).symmetric_eigenvalues().max()
}
