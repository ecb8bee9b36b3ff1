//! Energy before and after a step, and the energy created without a source.
//!
//! The scheme's momentum rows, multiplied by the velocities (v, ω) with which bodies leave the start of the
//! step, give exactly
//! ```text
//! ΔKE = W_loads + Σ_contacts (p_n v_n + u·w) − ½ Σ ( m |Δv|² + Δω·I0 Δω )
//! W_loads = Σ (h f + P)·v + (h τ + L_app)·ω
//! ```
//! because a flight keeps the energy with which it begins. Under a gyroscopic torque ω is that of the end;
//! exp(h ω) leaves it where it is, so that ω·I(q⁺) ω = ω·I0 ω, and the implicit torque −ω × I0 ω does no
//! work. Friction gives u·w ≤ 0. So without explicit torque
//! ```text
//! KE⁺ + PE⁺ − KE − PE − W_other loads  ≤  Σ max(0, p_n v_n) + work of the residuals
//! ```
//! which is a theorem and part of `green`. The right side is not zero: p_n acts along the END normal and
//! v_n there is (gap⁺ − gap)/h only for flat relative motion; a body that rolls or slides over a convex one
//! has v_n ≈ h v_t²/(2 R) > 0 under load. That is a property of the scheme, first order in h, and it is
//! reported as `energy_created`, not held against the solution. The explicit gyroscopic torque may create
//! energy as well, and no bound is claimed there.

use super::bodies::BodyInStep;
use super::contact_law::ContactFinding;
use super::couplings::CouplingFinding;
use super::joints::JointFinding;
use super::judged_step::JudgedStep;
use signorini_scene::scene::State;

/// Energy balance of one step (J).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy at the end.
    pub kinetic: f64,
    /// Kinetic energy of the free motion, with the loads of the step and without other impulses.
    pub free: f64,
    /// Potential energy −Σ m g·c and energy of the springs at the end.
    pub potential: f64,
    /// Change of kinetic and potential energy minus the work of the other loads at the end velocity.
    pub created: f64,
    /// Bound of the theorem on `created`, rounding included.
    pub allowed: f64,
    /// Part of `created` that rounding alone can cause.
    pub rounding: f64,
}

impl Energy {
    /// Energy balance without the contacts; `residual` is the part of its unit by which each row may be off.
    pub fn of_bodies(step: &JudgedStep<'_>, residual: f64) -> Self {
        let JudgedStep { scene, bodies, before, after, ended, loads, units, .. } = *step;
        let (h, g) = (scene.time_step, scene.gravity);
        let mut energy = Self::default();
        for (i, body) in bodies.iter().enumerate().filter(|(_, b)| b.moving) {
            let (start, end) = (&before.velocities[i], &after.velocities[i]);
            let (c, c_end) = (&before.poses[i].position, &after.poses[i].position);
            let kinetic_start = 0.5
                * (body.mass * start.linear.norm_squared()
                    + start.angular.dot(&(body.inertia * start.angular)));
            // In body axes: the end tensor is R⁺ I_b R⁺ᵀ.
            let spin = after.poses[i].orientation.inverse() * ended.velocities[i].angular;
            let kinetic =
                0.5 * (body.mass * end.linear.norm_squared() + spin.dot(&(scene.bodies[i].inertia * spin)));
            let lifted = -body.mass * g.dot(&(c_end - c));
            let other = loads.force[i] - g * body.mass;
            let work = (other * h + loads.linear_impulse[i]).dot(&end.linear)
                + (loads.torque[i] * h + loads.angular_impulse[i]).dot(&end.angular);
            let pushed = start.linear + (loads.force[i] * h + loads.linear_impulse[i]) / body.mass;
            let twist = loads.torque[i] * h + loads.angular_impulse[i];
            let spun = start.angular + body.inverse_inertia * twist;
            energy.free += 0.5 * (body.mass * pushed.norm_squared() + spun.dot(&(body.inertia * spun)));
            energy.kinetic += kinetic;
            energy.potential -= body.mass * g.dot(c_end);
            energy.created += kinetic - kinetic_start + lifted - work;
            let weight = body.mass * g.amax() * (c.amax() + c_end.amax());
            energy.rounding +=
                16.0 * f64::EPSILON * (kinetic + kinetic_start + weight + work.abs() + lifted.abs());
            let turning = end.angular.dot(&(body.inertia * end.angular)) / body.mass;
            energy.allowed += residual * units.of_bodies[i] * (end.linear.norm() + turning.max(0.0).sqrt());
        }
        for spring in &scene.springs {
            let stored = |state: &State| spring.energy(spring.bodies.map(|id| &state.poses[id]));
            let (start, end) = (stored(before), stored(after));
            energy.potential += end;
            energy.created += end - start;
            energy.rounding += 16.0 * f64::EPSILON * (start + end);
        }
        energy.rounding *= 1.0 + (bodies.len() as f64).sqrt();
        energy.allowed += energy.rounding;
        energy
    }

    /// Kinetic energy ½ m |v|² + ½ ω·I ω (J) of the moving bodies with the velocities of a state, and inertia
    /// tensors at its poses.
    pub fn kinetic_of(step: &JudgedStep<'_>, state: &State) -> f64 {
        let moving = step.bodies.iter().enumerate().filter(|(_, body)| body.moving);
        let of = |(i, body): (usize, &BodyInStep)| {
            let spin = state.poses[i].orientation.inverse() * state.velocities[i].angular;
            let turning = spin.dot(&(step.scene.bodies[i].inertia * spin));
            0.5 * (body.mass * state.velocities[i].linear.norm_squared() + turning)
        };
        moving.map(of).sum()
    }

    /// Adds the bound of one joint; motors and prescribed motions put work in.
    pub fn add_joint(&mut self, joint: &JointFinding, residual: f64) {
        self.created -= joint.drive_work + joint.driven_work;
        self.allowed += joint.work.max(0.0) + residual * joint.unit * joint.work_per_residual;
        self.allowed += 16.0 * f64::EPSILON * (joint.drive_work.abs() + joint.driven_work.abs());
    }

    /// Adds the bound of one coupling, whose impulses should do no work together.
    pub fn add_coupling(&mut self, coupling: &CouplingFinding) {
        self.allowed += coupling.work.max(0.0);
    }

    /// Adds the bound of one contact; bodies with prescribed motion put work in.
    pub fn add_contact(&mut self, contact: &ContactFinding, residual: f64) {
        let work = &contact.friction;
        self.created -= work.driven_work;
        self.allowed += 16.0 * f64::EPSILON * work.driven_work.abs();
        self.allowed += work.normal_work.max(0.0) + residual * contact.unit * work.work_per_residual;
    }
}
