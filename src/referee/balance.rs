//! Momentum rebuilt from the contact list alone, and poses that follow the velocities.

use super::flight::momentum;
use super::judged_step::JudgedStep;
use super::staggered::{Blend, is_staggered, last_step, loaded_time, spin_momentum};
use crate::step::{ContactRecord, JointRecord};
use nalgebra::{Quaternion, Vector3};
use signorini_geometry::Pose;
use signorini_kernels::math::raise;
use signorini_scene::settings::Gyroscopic;

/// Fraction of its travel, and angle (rad), by which a body may miss its prescribed motion.
const PRESCRIBED_MOTION_ERROR: f64 = 1e-9;

/// Rounding of the place of a body with prescribed motion, as a fraction of 1 m and its distance to the
/// origin.
const PLACE_ROUNDING: f64 = 1e-13;

/// Residuals of the momentum equations of each body:
/// ```text
/// m (v⁺ − v) − h f − P − Σ ± (n p_n + F_t)
/// L⁺ − L − h τ − L_app − Σ ± [ (x_c − c⁺) × (n p_n + F_t) + n p_r + m ]
/// L⁺ − L = R⁺ I_b R⁺ᵀ ω⁺ − I0 ω                                                        I0 = R0 I_b R0ᵀ
/// ```
/// or, where a gyroscopic torque turns bodies, L⁺ − L = I0 (ω⁺ − ω) − h gyro with gyro = −ω⁺ × I0 ω⁺
/// (implicit) or −ω × I0 ω (explicit), with + on body B and − on body A of a contact.
#[derive(Debug, Clone, Default)]
pub struct Balance {
    linear: Vec<Vector3<f64>>,
    angular: Vec<Vector3<f64>>,
    /// Slack |gap| |F_t| per body (N m s): the two closest points differ by gap n, and the list holds one
    /// point for both bodies. A solver may have taken either as its arm.
    slack: Vec<f64>,
}

/// Imbalance of momentum: the largest linear and angular residual, each in the body's unit, angular ones over
/// the radii of gyration.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Imbalance {
    /// Linear part.
    pub linear: f64,
    /// Angular part.
    pub angular: f64,
}

impl Balance {
    /// Returns the largest rows over the moving bodies; each contact comes with the referee's own gap.
    pub fn imbalance<'a>(
        &mut self,
        step: &JudgedStep<'_>,
        contacts: impl Iterator<Item = (&'a ContactRecord, f64)>,
        joints: &[JointRecord],
    ) -> Imbalance {
        self.start(step);
        self.subtract_springs(step);
        contacts.for_each(|(contact, gap)| self.subtract_contact(contact, step, gap));
        joints.iter().for_each(|joint| self.subtract_joint(joint, step));
        let mut found = Imbalance::default();
        for (i, body) in step.bodies.iter().enumerate().filter(|(_, b)| b.moving) {
            let unit = step.units.of_bodies[i];
            raise(&mut found.linear, self.linear[i].norm() / unit);
            let angular = self.angular[i].norm();
            let beyond = if angular > 0.0 { 1.0 - (self.slack[i] / angular).min(1.0) } else { 1.0 };
            raise(&mut found.angular, body.turning(&self.angular[i]) * beyond / unit);
        }
        found
    }

    /// Starts the rows with all terms but springs, contacts and joints.
    fn start(&mut self, step: &JudgedStep<'_>) {
        let n = step.bodies.len();
        self.linear.clear();
        self.linear.resize(n, Vector3::zeros());
        self.angular.clear();
        self.angular.resize(n, Vector3::zeros());
        self.slack.clear();
        self.slack.resize(n, 0.0);
        for (i, _) in step.bodies.iter().enumerate().filter(|(_, b)| b.moving) {
            [self.linear[i], self.angular[i]] = momentum_beside_loads(step, i);
        }
    }

    /// Subtracts the impulses of springs, with their forces at the end of the step.
    fn subtract_springs(&mut self, step: &JudgedStep<'_>) {
        let JudgedStep { scene, after, .. } = *step;
        for spring in &scene.springs {
            let s = spring.stretched(
                spring.bodies.map(|id| &after.poses[id]),
                spring.bodies.map(|id| &after.velocities[id]),
            );
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let impulse = s.force * (sign * scene.time_step);
                self.linear[spring.bodies[side]] -= impulse;
                self.angular[spring.bodies[side]] -= s.arms[side].cross(&impulse);
            }
        }
    }

    /// Subtracts the impulses of a contact; `gap` is the referee's own.
    fn subtract_contact(&mut self, contact: &ContactRecord, step: &JudgedStep<'_>, gap: f64) {
        let Blend { normal, arms, .. } = Blend::of_force(contact, step.scene, [step.before, step.after]);
        let force = normal * contact.normal_impulse + contact.friction_impulse;
        let spin = normal * contact.torsional_impulse + contact.rolling_impulse;
        for (body, sign, arm) in [(contact.body_a, -1.0, arms[0]), (contact.body_b, 1.0, arms[1])] {
            self.linear[body] -= force * sign;
            self.angular[body] -= (arm.cross(&force) + spin) * sign;
            self.slack[body] += gap.abs() * contact.friction_impulse.norm();
        }
    }

    /// Subtracts the reaction of a joint, with its opposite at the same point of A.
    fn subtract_joint(&mut self, record: &JointRecord, step: &JudgedStep<'_>) {
        let (joint, acting) = (&step.scene.joints[record.joint], step.acting(record));
        for (body, sign) in [(joint.bodies[0], -1.0), (joint.bodies[1], 1.0)] {
            let arm = record.point - acting.poses[body].position;
            self.linear[body] -= record.force * sign;
            self.angular[body] -= (arm.cross(&record.force) + record.torque) * sign;
        }
    }
}

/// Linear and angular momentum that moving body i gained beside what its loads explain.
pub fn momentum_beside_loads(step: &JudgedStep<'_>, i: usize) -> [Vector3<f64>; 2] {
    let JudgedStep { scene, before, after, ended, loads, .. } = *step;
    let (h, body) = (loaded_time(scene, loads), &step.bodies[i]);
    let (start, end) = (&before.velocities[i], &after.velocities[i]);
    let linear = (end.linear - start.linear) * body.mass - loads.force[i] * h - loads.linear_impulse[i];
    let against = |spin: &Vector3<f64>| spin.cross(&(body.inertia * spin)) * h;
    let gained = if is_staggered(scene) {
        let (pose, tensor) = (&before.poses[i], &scene.bodies[i].inertia);
        spin_momentum(tensor, pose, &end.angular, 0.5 * scene.time_step)
            - spin_momentum(tensor, pose, &start.angular, -0.5 * last_step(scene, loads))
    } else {
        match scene.solver.spin_rule() {
            Gyroscopic::Exact => {
                let (tensor, at) = (&scene.bodies[i].inertia, &after.poses[i].orientation);
                momentum(tensor, at, &ended.velocities[i].angular) - body.inertia * start.angular
            }
            Gyroscopic::Implicit => body.inertia * (end.angular - start.angular) + against(&end.angular),
            Gyroscopic::Explicit => body.inertia * (end.angular - start.angular) + against(&start.angular),
        }
    };
    [linear, gained - loads.torque[i] * h - loads.angular_impulse[i]]
}

/// Deviation of the poses from c⁺ = c + h v⁺ and R⁺ = exp(h ω⁺) R, or from the flight of the body, beyond
/// rounding, as the momentum that a body of that mass and size would need to make up for it within the step,
/// in its unit.
///
/// A body with prescribed motion must be where it is prescribed to be, to [`PRESCRIBED_MOTION_ERROR`] of its
/// travel.
pub fn pose_fault(step: &JudgedStep<'_>) -> f64 {
    let JudgedStep { bodies, before, after, loads, .. } = *step;
    let h = step.scene.time_step;
    let mut fault = 0.0;
    for (i, body) in bodies.iter().enumerate() {
        let (start, end, velocity) = (&before.poses[i], &after.poses[i], &after.velocities[i]);
        if let Some((_, target)) = loads.driven.iter().find(|d| d.0 == i) {
            let gone = target.position - start.position;
            let off = (end.position - target.position).norm().max((velocity.linear * h - gone).norm());
            let room = PRESCRIBED_MOTION_ERROR * gone.norm() + PLACE_ROUNDING * (1.0 + start.position.norm());
            let angle = turn_between(end, target, &Vector3::zeros()).max(turn_between(
                end,
                start,
                &(velocity.angular * h),
            ));
            if !(off <= room && angle <= PRESCRIBED_MOTION_ERROR) {
                fault = f64::INFINITY;
            }
            continue;
        }
        if !body.moving {
            // A fixed body stays, bit for bit.
            if start != end || velocity.linear != Vector3::zeros() || velocity.angular != Vector3::zeros() {
                fault = f64::INFINITY;
            }
            continue;
        }
        let travel = velocity.linear * h;
        let off = (end.position - start.position - travel).amax();
        let rounding = 8.0 * f64::EPSILON * (start.position.amax() + travel.amax());
        raise(&mut fault, body.mass * (off - rounding) / (h * step.units.of_bodies[i]));
        let angle = turn_between(&step.left.poses[i], start, &Vector3::zeros()) - 64.0 * f64::EPSILON;
        raise(&mut fault, body.mass * body.size * angle / (h * step.units.of_bodies[i]));
    }
    fault
}

/// Angle of R⁺ᵀ exp(θ) R (rad), by quaternion products.
fn turn_between(end: &Pose, start: &Pose, theta: &Vector3<f64>) -> f64 {
    let half = 0.5 * theta.norm();
    let sinc = if half < 1e-8 { 0.5 } else { 0.5 * half.sin() / half };
    let turn = Quaternion::from_parts(half.cos(), theta * sinc);
    let left = (turn * start.orientation.quaternion()) * end.orientation.quaternion().conjugate();
    2.0 * left.imag().norm().atan2(left.scalar().abs())
}
