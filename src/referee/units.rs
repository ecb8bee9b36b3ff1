//! Units of each body and contact (theory §5.4), from the records alone.

use super::bodies::BodyInStep;
use super::drives::Drives;
use super::recorded_step::RecordedStep;
use super::staggered::loaded_time;
use crate::step::JointRecord;
use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_scene::scene::{Axis, State};

/// Number of roundings between a body's place and a gap: pose, surface point, difference, product.
const ROUNDINGS: f64 = 4.0;

/// Number of roundings of a momentum and of the sum of its changes.
const MOMENTUM_ROUNDINGS: f64 = 32.0;

/// A mass that is carried counts as the same up to this ratio.
const SAME_MASS: f64 = 1.01;

/// Fraction of its momentum that counts as acting on a body.
const CARRIED: f64 = 1e-3;

/// Units of all bodies over a step. Storage is kept from step to step.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// Unit u of each body (N s), 1 for those that do not move.
    pub of_bodies: Vec<f64>,
    /// Mass that each body carries (kg).
    pub carried: Vec<f64>,
    /// Impulse of each joint's record that counts for the units of its bodies (N s).
    reactions: Vec<f64>,
}

impl Units {
    /// Finds the units over a step.
    pub fn measure(&mut self, bodies: &[BodyInStep], step: &RecordedStep<'_>, before: &State) {
        let Self { of_bodies, carried, reactions } = self;
        reactions.clear();
        reactions.extend(step.joints.iter().map(|record| reaction(record, step, before)));
        body_units((bodies, reactions), step, before, of_bodies);
        carried_masses((bodies, reactions), step, of_bodies, carried);
    }

    /// Takes the units of bodies over another step, and the masses that they carry.
    pub fn copy_bodies(&mut self, other: &Self) {
        self.of_bodies.clone_from(&other.of_bodies);
        self.carried.clone_from(&other.carried);
    }
}

/// Sets the unit u of every body over a step (N s), 1 for bodies that do not move. The unit is the largest of
/// ```text
/// m |g| h + h |F| + |P| + ‖h τ‖ + ‖L‖                weight and loads, ‖q‖ = √(m q·I0⁻¹q)
/// 1e-3 (m |v| + √(m ω·I0 ω))                         momentum at the start
/// p_n of each contact                                impulses
/// |(f, τ/size)| of each joint, and of its motors, each and all, armatures, limits, motions, couplings
/// ```
/// and of the impulse by which rounding of its place counts at the scene's tolerance. A body that is only
/// between joints counts with the mass that it carries (theory §4.2).
fn body_units(
    (bodies, reactions): (&[BodyInStep], &[f64]),
    step: &RecordedStep<'_>,
    before: &State,
    units: &mut Vec<f64>,
) {
    units.clear();
    units.extend((0..bodies.len()).map(|i| own_unit(i, bodies, step, before)));
    for contact in step.contacts {
        for id in [contact.body_a, contact.body_b] {
            raise(&mut units[id], contact.pressing());
        }
    }
    for (record, impulse) in step.joints.iter().zip(reactions) {
        step.scene.joints[record.joint].bodies.iter().for_each(|id| raise(&mut units[*id], *impulse));
    }
    let (h, tolerance) = (step.scene.time_step, step.scene.solver.tolerance);
    for (i, (unit, body)) in units.iter_mut().zip(bodies).enumerate() {
        if !body.moving {
            *unit = 1.0;
            continue;
        }
        let place = rounding_of_place(body, &before.poses[i].position);
        let turning = place * (body.mass * body.inverse_inertia.trace()).sqrt() * *unit;
        let carried = carried(body, &before.velocities[i]);
        raise(unit, MOMENTUM_ROUNDINGS * f64::EPSILON * carried / tolerance);
        raise(unit, place * (body.effective_mass_ratio * body.mass) / (h * tolerance));
        raise(unit, turning / tolerance);
    }
}

/// Sets the mass that every body carries (kg): its own, or the mass that a body on it carries times the part
/// of that body's unit which is the impulse between them. The largest counts, over all chains of bodies that
/// press on each other.
fn carried_masses(
    (bodies, reactions): (&[BodyInStep], &[f64]),
    step: &RecordedStep<'_>,
    units: &[f64],
    masses: &mut Vec<f64>,
) {
    masses.clear();
    masses.extend(bodies.iter().map(|body| body.effective_mass_ratio * body.mass));
    // Shares are at most 1: the masses end within as many rounds as there are bodies in a chain.
    for _ in 0..bodies.len() {
        let mut grown = false;
        let contacts = step.contacts.iter().map(|c| ([c.body_a, c.body_b], c.pressing()));
        let joints = step.joints.iter().map(|record| step.scene.joints[record.joint].bodies);
        let joints = joints.zip(reactions.iter().copied());
        let between = contacts.chain(joints);
        for ([a, b], impulse) in between.filter(|(ids, _)| ids.iter().all(|id| bodies[*id].moving)) {
            for (below, above) in [(a, b), (b, a)] {
                let share = impulse / units[above];
                if share * masses[above] > SAME_MASS * masses[below] {
                    masses[below] = share * masses[above];
                    grown = true;
                }
            }
        }
        if !grown {
            return;
        }
    }
}

/// Impulse of a joint that counts for the units of its bodies (N s).
fn reaction(record: &JointRecord, step: &RecordedStep<'_>, before: &State) -> f64 {
    let joint = &step.scene.joints[record.joint];
    let size = joint.size(|id| step.scene.size_of(id));
    // Mortar pulls with all its strength on what it presses apart: neither counts.
    if let Some(face) = &joint.mortar {
        return record.force.norm().hypot(record.torque.norm() / face.radius);
    }
    let mut impulse = record.force.norm().hypot(record.torque.norm() / size);
    // A motor that presses on a limit exerts no reaction, but a force.
    for of in [&record.motion, &record.motor, &record.limit, &record.coupling] {
        raise(&mut impulse, of[0].abs().max(of[1].abs() / size));
    }
    // Motors of one coordinate, and its armature, may push against each other.
    for c in joint.coordinates.iter().filter(|c| c.motors.len() + usize::from(c.armature > 0.0) > 1) {
        let over = if c.axis == Axis::Angle { size } else { 1.0 };
        raise(
            &mut impulse,
            Drives::new((joint, c), (step.scene, step.loads), [before, step.after]).largest() / over,
        );
    }
    impulse
}

/// Part of a body's unit that does not depend on contacts.
fn own_unit(i: usize, bodies: &[BodyInStep], step: &RecordedStep<'_>, before: &State) -> f64 {
    let (body, loads, scene) = (&bodies[i], step.loads, step.scene);
    if !body.moving {
        return 0.0;
    }
    let h = loaded_time(scene, loads);
    let weight = scene.gravity * body.mass;
    let mut unit = h * (weight.norm() + (loads.force[i] - weight).norm() + body.turning(&loads.torque[i]));
    unit += loads.linear_impulse[i].norm() + body.turning(&loads.angular_impulse[i]);
    raise(&mut unit, CARRIED * carried(body, &before.velocities[i]));
    body.effective_mass_ratio * unit
}

/// Momentum m |v| + √(m ω·I0 ω) (N s).
fn carried(body: &BodyInStep, Velocity { linear, angular }: &Velocity) -> f64 {
    body.mass * linear.norm() + (body.mass * angular.dot(&(body.inertia * angular))).max(0.0).sqrt()
}

/// Distance (m) that rounding may move a point of a body by.
pub fn rounding_of_place(body: &BodyInStep, position: &Vector3<f64>) -> f64 {
    let size = if body.size.is_finite() { body.size } else { 0.0 };
    ROUNDINGS * f64::EPSILON * (position.norm() + size)
}
