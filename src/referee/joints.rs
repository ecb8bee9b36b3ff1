//! Joints judged from their records: whether the frames fit, whether the joint can exert the reaction, and
//! the laws of motors, limits and prescribed motion.
//!
//! The solver's rows are dot products of directions; here the pose of B's frame in A's is formed, and
//! distances, tilt and turn are read off its position and quaternion.

use super::drives::Drives;
use super::joint_place::{COINCIDENT, coordinate, relative, violation};
use super::judged_step::JudgedStep;
use super::mortar::{judge_mortar, normal_compliance};
use super::staggered::loaded_time;
use crate::step::JointRecord;
use nalgebra::Vector3;
use signorini_kernels::math::raise;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coordinate, Joint, JointKind, Motor, State};

/// Findings of the referee at one joint, with impulses in N s.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct JointFinding {
    /// Largest violation of the joint, of its limits and of its prescribed motion over its size; angles in
    /// rad.
    pub error: f64,
    /// Largest violation beyond rounding.
    pub excess: f64,
    /// Unit u of the joint (N s).
    pub unit: f64,
    /// Largest violation as the momentum that would take it up within the step.
    pub position: f64,
    /// Parts of the reaction that the joint cannot exert.
    pub reaction: f64,
    /// Distance of the impulses of motors and limits from their law.
    pub law: f64,
    /// Work of motors and prescribed motion (J).
    pub drive_work: f64,
    /// Work of the rest of the reaction (J): positive where curvature opens the joint.
    pub work: f64,
    /// Relative speeds |v| (m/s), for the work that residuals can do.
    pub work_per_residual: f64,
    /// Work done by bodies with prescribed motion through the joint (J).
    pub driven_work: f64,
    /// Work (J) that takes up what the joint or its limits are off at the start.
    pub work_from_start: f64,
    /// Whether motors, prescribed motions or bodies with such a motion act through the joint.
    pub is_driven: bool,
    /// Largest turn that impulses make within the step, of one body or of one relative to the other (rad).
    pub turn: f64,
}

/// One joint in one step.
pub struct JointCase<'a> {
    pub(super) step: &'a JudgedStep<'a>,
    pub(super) record: &'a JointRecord,
    pub(super) joint: &'a Joint,
    /// Size of the joint (m).
    pub(super) size: f64,
    /// Unit u of the joint (N s).
    pub(super) unit: f64,
    /// Effective masses of the point (kg) and about axes, over the joint's size (kg m), times the emphasis.
    pub(super) heavy: [f64; 2],
}

/// Judges one joint. Where the start of the step is not recorded, motors are not held to their velocity.
pub fn judge_joint(record: &JointRecord, step: &JudgedStep<'_>) -> JointFinding {
    let scene = step.scene;
    let case = JointCase::new(record, step);
    let JointCase { joint, size, unit, heavy, .. } = case;
    let [distance, angle] = violation(joint, joint.bodies.map(|id| &step.after.poses[id]));
    let mut found = JointFinding { unit, ..JointFinding::default() };
    for (error, weight) in [(distance / size, heavy[0] * size), (angle, heavy[1])] {
        raise(&mut found.error, error);
        raise(&mut found.position, error * weight / scene.time_step);
    }
    case.reaction(&mut found);
    case.works(&mut found);
    for axis in joint.coordinates.iter().map(|c| c.axis) {
        case.coordinate(axis, &mut found);
    }
    found.excess = found.error - step.rounding_between(joint.bodies) / size;
    if let Some(face) = &joint.mortar {
        let mortar = judge_mortar(record, step, (joint, face), (size, unit));
        raise(&mut found.reaction, mortar.reaction);
        // Damage that is wrong breaks the law by a unit.
        raise(&mut found.law, if mortar.is_misjudged { unit } else { mortar.law });
        return found;
    }
    // Only mortar is damaged.
    raise(&mut found.law, unit * (record.damage[0].abs() + record.damage[1].abs()));
    // A coordinate that does not exist has no impulses.
    for (place, unit) in [1.0, size].into_iter().enumerate() {
        if !joint.coordinates.iter().any(|c| usize::from(c.axis == Axis::Angle) == place) {
            for p in [record.motion[place], record.motor[place], record.limit[place], record.coupling[place]]
            {
                raise(&mut found.law, p.abs() / unit);
            }
        }
    }
    found
}

/// Largest armature of a joint, of an angle over its size squared (kg).
fn armature(joint: &Joint, size: f64) -> f64 {
    let over = |axis: Axis| if axis == Axis::Angle { size * size } else { 1.0 };
    joint.coordinates.iter().map(|c| c.armature / over(c.axis)).fold(0.0, f64::max)
}

/// Largest effective masses of the point (kg), and about axes, over the joint's size (kg m).
fn effective_masses(record: &JointRecord, joint: &Joint, step: &JudgedStep<'_>, size: f64) -> [f64; 2] {
    let (mut yielding, mut turning) = (f64::INFINITY, f64::INFINITY);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        let (mut along, mut about) = (0.0, 0.0);
        for id in joint.bodies {
            let body = &step.bodies[id];
            let arm = record.point - step.after.poses[id].position;
            along += body.compliance(&arm, &axis);
            about += axis.dot(&(body.inverse_inertia * axis));
        }
        yielding = yielding.min(along);
        turning = turning.min(about);
    }
    let invert = |d: f64| if d > 0.0 { 1.0 / d } else { 0.0 };
    [invert(yielding), invert(turning) / size]
}

impl<'a> JointCase<'a> {
    /// A joint with its weights and its unit.
    pub fn new(record: &'a JointRecord, step: &'a JudgedStep<'a>) -> Self {
        let scene = step.scene;
        let joint = &scene.joints[record.joint];
        let size = joint.size(|id| scene.size_of(id));
        let of_both = effective_masses(record, joint, step, size);
        // Rounding of places counts most in the row of the largest mass, which may be that of an armature.
        let heaviest = of_both[0].max(of_both[1] / size).max(armature(joint, size));
        let compliance = match joint.mortar {
            Some(_) => normal_compliance(record, joint, step),
            None if of_both[0] > 0.0 => 1.0 / heaviest,
            None => 0.0,
        };
        let unit = step.unit_between(joint.bodies, compliance);
        let emphasis = step.emphasis(joint.bodies, compliance);
        Self { step, record, joint, size, unit, heavy: of_both.map(|mass| mass * emphasis) }
    }

    /// Judges the reaction: force and torque along free directions of the joint must come from motors, limits
    /// and motions.
    fn reaction(&self, found: &mut JointFinding) {
        let Self { step, record, joint, .. } = self;
        let after = step.acting(record);
        let frame = after.poses[joint.bodies[0]].compose(&joint.frames[0]);
        let back = frame.orientation.inverse();
        let (force, torque) = (back * record.force, back * record.torque);
        let acting =
            [0, 1].map(|k| record.motion[k] + record.motor[k] + record.limit[k] + record.coupling[k]);
        let length = self.size;
        let (slides, turns) = match joint.kind {
            JointKind::Mortar => return,
            JointKind::Fixed => (false, false),
            JointKind::Ball => {
                raise(&mut found.reaction, torque.norm() / length);
                (false, false)
            }
            JointKind::Universal => {
                let second =
                    relative(joint, joint.bodies.map(|id| &after.poses[id])).orientation * Vector3::x();
                raise(&mut found.reaction, torque.z.abs().max(torque.dot(&second).abs()) / length);
                (false, false)
            }
            JointKind::Planar => {
                raise(&mut found.reaction, force.xy().norm().max(torque.z.abs() / length));
                (false, false)
            }
            JointKind::Revolute => (false, true),
            JointKind::Prismatic => (true, false),
            JointKind::Cylindrical => (true, true),
            JointKind::Distance => {
                let ends = [0, 1].map(|k| after.poses[joint.bodies[k]].point(&joint.frames[k].position));
                let line = (ends[1] - ends[0]).try_normalize(COINCIDENT).unwrap_or_default();
                raise(&mut found.reaction, (record.force - line * line.dot(&record.force)).norm());
                raise(&mut found.reaction, record.torque.norm() / length);
                let borne = if joint.coordinates.is_empty() { 0.0 } else { line.dot(&record.force) };
                raise(&mut found.reaction, (borne - acting[0]).abs());
                raise(&mut found.reaction, acting[1].abs() / length);
                return;
            }
        };
        if slides {
            raise(&mut found.reaction, (force.z - acting[0]).abs());
        }
        if turns {
            raise(&mut found.reaction, (torque.z - acting[1]).abs() / length);
        }
        let idle = [slides, turns];
        for k in (0..2).filter(|k| !idle[*k]) {
            raise(&mut found.reaction, acting[k].abs());
        }
    }

    fn works(&self, found: &mut JointFinding) {
        let Self { step, record, joint, .. } = self;
        let after = step.after;
        let at = |id: usize| {
            let v = &after.velocities[id];
            (v.linear + v.angular.cross(&(record.point - after.poses[id].position)), v.angular)
        };
        let work = |id: usize| {
            let (v, w) = at(id);
            record.force.dot(&v) + record.torque.dot(&w)
        };
        let [a, b] = joint.bodies;
        found.work = work(b) - work(a);
        let ((v_a, w_a), (v_b, w_b)) = (at(a), at(b));
        found.work_per_residual = (v_b - v_a).norm() + self.size * (w_b - w_a).norm();
        if !step.bodies[a].moving {
            found.driven_work += work(a);
        }
        if !step.bodies[b].moving {
            found.driven_work -= work(b);
        }
        let frame = after.poses[a].compose(&joint.frames[0]);
        let axis = frame.orientation * Vector3::z();
        let line = match joint.kind {
            JointKind::Distance => {
                let ends = [0, 1].map(|k| after.poses[joint.bodies[k]].point(&joint.frames[k].position));
                (ends[1] - ends[0]).try_normalize(COINCIDENT).unwrap_or_default()
            }
            _ => axis,
        };
        let mut coupling_work = 0.0;
        let rates = [line.dot(&(v_b - v_a)), axis.dot(&(w_b - w_a))];
        for (k, rate) in rates.iter().enumerate() {
            found.drive_work += (record.motion[k] + record.motor[k]) * rate;
            coupling_work += record.coupling[k] * rate;
        }
        // The work of couplings is judged with both of their joints.
        found.work -= found.drive_work + coupling_work;
    }

    /// Judges limits, motors and prescribed motion of one coordinate.
    fn coordinate(&self, axis: Axis, found: &mut JointFinding) {
        let Self { step, record, joint, size, heavy, .. } = *self;
        let Some(c) = joint.coordinates.iter().find(|c| c.axis == axis) else { return };
        let h = step.scene.time_step;
        let value_in = |state: &State| coordinate(joint, axis, joint.bodies.map(|id| &state.poses[id]));
        let value = value_in(step.after);
        let is_angle = axis == Axis::Angle;
        let place = usize::from(is_angle);
        let near = |value: f64, to: f64| if is_angle { nearest_turn(value, to) } else { value };
        // The weight is the impulse (N s) per m/s, or (N m s)/size per rad/s.
        let (weight, unit) = if is_angle { (heavy[1], size) } else { (heavy[0], 1.0) };
        let over = if is_angle { 1.0 } else { size };
        match c.target(step.loads.end_time) {
            Some(target) => {
                let off = (near(value, target) - target).abs();
                raise(&mut found.error, off / over);
                raise(&mut found.position, off * weight / h);
            }
            None => raise(&mut found.law, record.motion[place].abs() / unit),
        }
        match c.limits {
            Some([low, high]) => {
                let value = near(value, 0.5 * (low + high));
                let (up, down) = (value - low, high - value);
                raise(&mut found.error, -up.min(down) / over);
                let p = record.limit[place] / unit;
                let map = [p.max(0.0).min(up * weight / h), (-p).max(0.0).min(down * weight / h)];
                map.into_iter().for_each(|m| raise(&mut found.law, m.abs()));
            }
            None => raise(&mut found.law, record.limit[place].abs() / unit),
        }
        self.motors(c, (place, unit), weight, found);
    }

    /// Judges the impulse of the motors of a coordinate: the sum of the impulse of each at the end of the
    /// step, and, for one that attains its rate, the impulse that this takes.
    fn motors(&self, c: &Coordinate, (place, unit): (usize, f64), weight: f64, found: &mut JointFinding) {
        let Self { step, record, joint, .. } = *self;
        let h = step.scene.time_step;
        let given = record.motor[place] / unit;
        let loaded = loaded_time(step.scene, step.loads);
        let most: f64 = c.motors.iter().map(|motor| motor.largest_force * loaded / unit).sum();
        if c.armature == 0.0 {
            raise(&mut found.law, given.abs() - most);
        }
        if !step.before_known {
            return;
        }
        let drives = Drives::new((joint, c), (step.scene, step.loads), [step.before, step.after]);
        let (mut rest, mut slope, mut exact) = (given, 0.0, None);
        for motor in &c.motors {
            if let Some(rate) = drives.attained(motor) {
                exact = Some((rate, motor.largest_force * loaded / unit));
            }
            let Some(force) = drives.force(motor) else { continue };
            let Motor { drive, largest_force, .. } = motor;
            if force.abs() < *largest_force {
                slope += drive.slope(h).unwrap_or(0.0) * loaded / unit;
            }
            rest -= force.max(-largest_force).min(*largest_force) * loaded / unit;
        }
        // The armature resists a change of its rate with any impulse.
        rest += drives.armature() / unit;
        slope += c.armature / unit;
        let rate = drives.rate();
        let due =
            exact.map_or(0.0, |(velocity, most)| (rest - (rate - velocity) * weight).max(-most).min(most));
        // A stiff spring is held to its place, as a motor is to its rate.
        let softness = if weight + slope > 0.0 { weight / (weight + slope) } else { 1.0 };
        raise(&mut found.law, (rest - due).abs() * softness);
    }
}
