//! Joints in the impact phase (theory §13.2): equations and prescribed motions keep the rates that the
//! position phase led to, closed limits let no rate through, motors keep their impulses. Couplings are judged
//! in `couplings.rs`.

use super::impact::PositionPhase;
use super::joint_place::{COINCIDENT, coordinate, rate_of, relative};
use super::joints::JointCase;
use nalgebra::Vector3;
use signorini_kernels::math::{larger, raise};
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coordinate, JointKind, State};

/// Gap of a limit (of the joint's size) at which it is closed beyond doubt; the solver takes twice as much.
const CLOSED_LIMIT: f64 = 5e-10;

/// Change of the velocity of B's anchor and of the spin, both relative to A, in A's frame of the joint.
struct TwistChange {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    /// Change along the line between the anchors.
    along: f64,
}

impl JointCase<'_> {
    /// Distance of rates and of the motors' impulses from their law in an impact (N s). `led` has the
    /// velocities of the position phase, and `begins` is the state at the start of the step, if it is known.
    pub fn impact_law(&self, phase: &PositionPhase<'_>, led: &State, begins: Option<&State>) -> f64 {
        let change = self.change_since(led);
        let mut off = self.equations(&change);
        for c in &self.joint.coordinates {
            raise(&mut off, self.coordinate_law(c, &change));
            if let Some(begins) = begins {
                raise(&mut off, self.motor_kept(c, phase, begins));
            }
        }
        off
    }

    fn change_since(&self, led: &State) -> TwistChange {
        let (after, joint) = (self.step.after, self.joint);
        let [a, b] = joint.bodies;
        let frame = after.poses[a].compose(&joint.frames[0]);
        let at = after.poses[b].point(&joint.frames[1].position);
        let twist = |state: &State| {
            let of = |id: usize| {
                let v = &state.velocities[id];
                (v.linear + v.angular.cross(&(at - after.poses[id].position)), v.angular)
            };
            let ((v_a, w_a), (v_b, w_b)) = (of(a), of(b));
            (v_b - v_a, w_b - w_a)
        };
        let (now, before) = (twist(after), twist(led));
        let back = frame.orientation.inverse();
        let line = (at - frame.position).try_normalize(COINCIDENT).unwrap_or_default();
        let (linear, angular) = (now.0 - before.0, now.1 - before.1);
        TwistChange { linear: back * linear, angular: back * angular, along: line.dot(&linear) }
    }

    /// Change of the rates of the joint's equations.
    fn equations(&self, change: &TwistChange) -> f64 {
        let Self { joint, heavy, .. } = self;
        let (v, w) = (change.linear, change.angular);
        let [slip, tilt] = [v.norm() * heavy[0], w.xy().norm() * heavy[1]];
        match joint.kind {
            JointKind::Fixed => larger(slip, w.norm() * heavy[1]),
            JointKind::Ball => slip,
            JointKind::Revolute => larger(slip, tilt),
            JointKind::Prismatic => larger(v.xy().norm() * heavy[0], w.norm() * heavy[1]),
            JointKind::Cylindrical => larger(v.xy().norm() * heavy[0], tilt),
            JointKind::Planar => larger(v.z.abs() * heavy[0], tilt),
            JointKind::Universal => {
                let poses = joint.bodies.map(|id| &self.step.after.poses[id]);
                let second = relative(joint, poses).orientation * Vector3::x();
                larger(slip, w.dot(&second.cross(&Vector3::z())).abs() * heavy[1])
            }
            JointKind::Distance if joint.coordinates.is_empty() => change.along.abs() * heavy[0],
            JointKind::Distance | JointKind::Mortar => 0.0,
        }
    }

    /// Prescribed motion and limits of a coordinate.
    fn coordinate_law(&self, c: &Coordinate, change: &TwistChange) -> f64 {
        let Self { step, record, joint, size, heavy, .. } = *self;
        let is_angle = c.axis == Axis::Angle;
        let (weight, unit) = if is_angle { (heavy[1], size) } else { (heavy[0], 1.0) };
        let changed = match c.axis {
            Axis::Angle => change.angular.z,
            Axis::Slide => change.linear.z,
            Axis::Length => change.along,
        };
        let mut off = 0.0;
        if c.target(step.loads.end_time).is_some() {
            raise(&mut off, changed.abs() * weight);
        }
        let Some([low, high]) = c.limits else { return off };
        let value = coordinate(joint, c.axis, joint.bodies.map(|id| &step.after.poses[id]));
        let value = if is_angle { nearest_turn(value, 0.5 * (low + high)) } else { value };
        let (rate, p) = (rate_of(joint, c.axis, step.after), record.limit[usize::from(is_angle)] / unit);
        let closed = CLOSED_LIMIT * if is_angle { 1.0 } else { size };
        for (gap, rate, p) in [(value - low, rate, p.max(0.0)), (high - value, -rate, (-p).max(0.0))] {
            let opens = rate * weight;
            let law = if p > 0.0 || gap <= closed { p.min(opens) } else { 0.0 };
            raise(&mut off, law.abs());
        }
        off
    }

    /// The impulse of motors is that of the position phase, and in an expansion none; an armature resists the
    /// change of its rate.
    fn motor_kept(&self, c: &Coordinate, phase: &PositionPhase<'_>, begins: &State) -> f64 {
        let Self { step, record, joint, size, heavy, .. } = *self;
        let is_angle = c.axis == Axis::Angle;
        let (place, unit) = (usize::from(is_angle), if is_angle { size } else { 1.0 });
        let value_in = |state: &State| coordinate(joint, c.axis, joint.bodies.map(|id| &state.poses[id]));
        let rate = rate_of(joint, c.axis, step.after);
        let (kept, led) = if phase.compression.is_some() {
            (0.0, rate_of(joint, c.axis, phase.end_state))
        } else {
            let Some(led) = phase.joints.iter().find(|led| led.joint == record.joint) else { return 0.0 };
            let (start, end) = (value_in(begins), value_in(step.after));
            let end = if is_angle { nearest_turn(end, start) } else { end };
            (led.motor[place], (end - start) / step.scene.time_step)
        };
        let due = kept - c.armature * (rate - led);
        // A stiff armature is held to its rate.
        let weight = heavy[place];
        let softness = if weight > 0.0 { weight / (weight + c.armature / unit) } else { 1.0 };
        (record.motor[place] - due).abs() / unit * softness
    }
}
