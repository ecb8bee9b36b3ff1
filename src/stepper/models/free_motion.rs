//! Stage one of the two-stage scheme [SAP (10)–(14)]: the velocity v* that the bodies would have without
//! contact, and the matrix A = M + h² θ_q θ_vq K + h θ_v D of stage two.

use crate::stepper::blocks::{block_mass, velocity};
use crate::stepper::explicit::blend;
use crate::stepper::parameters::{FREE_MOTION_RESIDUAL, MAX_FREE_MOTION_ITERATIONS};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};
use signorini_geometry::pose::cross_matrix;
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::problem::contact_problem::body_vector_mut;
use signorini_ncp::solver::linear_system::mass_factor::MassFactor;
use signorini_scene::scene::{Spring, spring::Stretched};
use signorini_scene::settings::Gyroscopic;

/// An island in free motion.
pub struct FreeMotion<'a> {
    /// Body ids.
    pub bodies: &'a [usize],
    /// The step.
    pub context: &'a StepContext<'a>,
    /// Place of a body id in its island.
    pub local_of: &'a [usize],
    /// Springs of the scene.
    pub springs: &'a [Spring],
    /// Weights θ_q, θ_v, θ_vq of the θ-method.
    pub theta: [f64; 3],
}

impl FreeMotion<'_> {
    /// Finds v* with m(v*) = 0; leaves A (at v*) in the problem.
    pub fn solve(&self, problem: &mut ContactProblem) -> Vec<f64> {
        let mut v: Vec<f64> = Vec::with_capacity(BLOCK * self.bodies.len());
        for &id in self.bodies {
            let start = &self.context.velocities[id];
            v.extend(start.linear.iter().chain(start.angular.iter()));
        }
        let mut best = (f64::INFINITY, v.clone());
        for _ in 0..MAX_FREE_MOTION_ITERATIONS {
            let mut residual = self.momentum(problem, &v);
            let size = problem.scaled_momentum(&residual);
            // Rounding is reached where the residual no longer falls.
            if size.is_nan() || size >= best.0 {
                break;
            }
            best = (size, v.clone());
            if size <= FREE_MOTION_RESIDUAL {
                break;
            }
            let Ok(mut factor) = MassFactor::new(problem) else { break };
            factor.solve(problem, &mut residual);
            for (v, d) in v.iter_mut().zip(&residual) {
                *v -= d;
            }
        }
        self.momentum(problem, &best.1);
        best.1
    }

    /// Returns m(v) = M(q_θ)(v − v₀) − h k(q_θ, v_θ) − P [SAP (11)], and writes A at v.
    fn momentum(&self, problem: &mut ContactProblem, v: &[f64]) -> Vec<f64> {
        let (context, h) = (self.context, self.context.time_step);
        let [theta_q, theta_v, theta_vq] = self.theta;
        let mut residual = vec![0.0; v.len()];
        let (mut poses, mut speeds) = (Vec::new(), Vec::new());
        for (local, &id) in self.bodies.iter().enumerate() {
            let (model, old, new) = (&context.models.bodies[id], &context.velocities[id], velocity(v, local));
            let pose = context.poses[id].advanced(&blend(old, &new, theta_vq), theta_q * h);
            let speed = blend(old, &new, theta_v);
            let rotation = pose.rotation();
            let inertia = rotation * model.inertia * rotation.transpose();
            let gyroscopic = match context.gyroscopic {
                Gyroscopic::Exact => Vector3::zeros(),
                _ => -speed.angular.cross(&(inertia * speed.angular)),
            };
            let loads = context.loads;
            let linear =
                (new.linear - old.linear) * model.mass - loads.force[id] * h - loads.linear_impulse[id];
            let angular = inertia * (new.angular - old.angular)
                - (loads.torque[id] + gyroscopic) * h
                - loads.angular_impulse[id];
            let row = body_vector_mut(&mut residual, local);
            row[..3].copy_from_slice(linear.as_slice());
            row[3..].copy_from_slice(angular.as_slice());
            problem.mass[local] = block_mass(model.mass, &inertia);
            let inverse = inertia.try_inverse().unwrap_or_else(Matrix3::zeros);
            problem.mass_inverse[local] = block_mass(1.0 / model.mass, &inverse);
            poses.push(pose);
            speeds.push(speed);
        }
        problem.coupling.clear();
        for spring in self.springs {
            self.add_spring(spring, &poses, &speeds, problem, &mut residual);
        }
        residual
    }

    fn add_spring(
        &self,
        spring: &Spring,
        poses: &[Pose],
        speeds: &[Velocity],
        problem: &mut ContactProblem,
        residual: &mut [f64],
    ) {
        let (context, h) = (self.context, self.context.time_step);
        let [theta_q, theta_v, theta_vq] = self.theta;
        let local = spring.bodies.map(|id| {
            let place = self.local_of[id];
            (!context.models.bodies[id].fixed && self.bodies.get(place) == Some(&id)).then_some(place)
        });
        if local == [None, None] {
            return;
        }
        let at_rest = Velocity::default();
        let pose = |k: usize| local[k].map_or(&context.poses[spring.bodies[k]], |l| &poses[l]);
        let speed = |k: usize| local[k].map_or(&at_rest, |l| &speeds[l]);
        let s = spring.stretched([pose(0), pose(1)], [speed(0), speed(1)]);
        let tangent = stiffness(spring, &s) * (h * h * theta_q * theta_vq)
            + s.direction * s.direction.transpose() * (spring.damping * h * theta_v);
        let map = |k: usize| point_map(&s.arms[k]) * if k == 0 { -1.0 } else { 1.0 };
        for (k, row) in local.into_iter().enumerate() {
            let Some(row) = row else { continue };
            let impulse = map(k).tr_mul(&(s.force * h));
            for (r, p) in body_vector_mut(residual, row).iter_mut().zip(impulse.iter()) {
                *r -= p;
            }
            problem.mass[row] += map(k).tr_mul(&(tangent * map(k)));
            let inverse = problem.mass[row].try_inverse().unwrap_or_else(Matrix6::zeros);
            problem.mass_inverse[row] = inverse;
        }
        if let [Some(a), Some(b)] = local
            && tangent != Matrix3::zeros()
        {
            problem.coupling.push((a, b, map(0).tr_mul(&(tangent * map(1)))));
        }
    }
}

/// Stiffness −∂force/∂(point) of the elastic part, without the negative part due to compression: positive
/// semidefinite.
fn stiffness(spring: &Spring, s: &Stretched) -> Matrix3<f64> {
    let along = s.direction * s.direction.transpose();
    if s.direction == Vector3::zeros() {
        return Matrix3::identity() * if spring.rest_length == 0.0 { spring.stiffness } else { 0.0 };
    }
    along * spring.stiffness + (Matrix3::identity() - along) * (s.elastic.max(0.0) / s.length)
}

/// Velocity of the point at an arm from (v, ω): [I, −arm×].
fn point_map(arm: &Vector3<f64>) -> SMatrix<f64, 3, 6> {
    let mut map = SMatrix::<f64, 3, 6>::zeros();
    map.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
    map.fixed_view_mut::<3, 3>(0, 3).copy_from(&-cross_matrix(arm));
    map
}
