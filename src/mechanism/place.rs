//! Poses and velocities of given coordinates and rates.

use super::Mechanism;
use super::forest::{Holder, counts};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use signorini_error::Result;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{JointKind, State};

impl Mechanism<'_> {
    /// The state in which the mechanism has coordinates q and, if they are given, rates q̇; other bodies, the
    /// ground, and velocities where no rates are given, are as in `state`. Joints that close loops do not
    /// count.
    ///
    /// # Errors
    /// When there are not as many numbers as entries, or one is not finite.
    pub fn state_at(&self, state: &State, q: &[f64], rates: Option<&[f64]>) -> Result<State> {
        self.check(q, rates)?;
        let mut found = state.clone();
        place(self, q, &mut found);
        if let Some(rates) = rates {
            drive(self, rates, &mut found);
        }
        Ok(found)
    }
}

fn place(mechanism: &Mechanism<'_>, q: &[f64], state: &mut State) {
    let forest = &mechanism.forest;
    for (body, holder) in &forest.order {
        state.poses[*body] = match holder {
            Holder::Ground => continue,
            Holder::Nothing => {
                let Some(entries) = forest.entries_of_free(*body) else { continue };
                let q = &q[entries.q..];
                Pose { position: Vector3::new(q[0], q[1], q[2]), orientation: rotation(&q[3..]) }
            }
            Holder::Joint { joint, parent, is_b } => {
                let Some(entries) = forest.entries_of(*joint) else { continue };
                let joint = &mechanism.scene.joints[*joint];
                let moved = between(joint.kind, &q[entries.q..]);
                // From the parent's frame of the joint to that of the child.
                let (moved, [own, other]) = if *is_b { (moved, [1, 0]) } else { (inverse(&moved), [0, 1]) };
                let there = state.poses[*parent].compose(&joint.frames[other]).compose(&moved);
                there.compose(&inverse(&joint.frames[own]))
            }
        };
    }
}

/// The frame of a joint in B in the frame of it in A.
fn between(kind: JointKind, q: &[f64]) -> Pose {
    let about = |axis: Vector3<f64>, angle: f64| UnitQuaternion::from_scaled_axis(axis * angle);
    let (slide, turn) = match kind {
        JointKind::Fixed | JointKind::Distance | JointKind::Mortar => {
            (Vector3::zeros(), UnitQuaternion::identity())
        }
        JointKind::Ball => (Vector3::zeros(), rotation(q)),
        JointKind::Revolute => (Vector3::zeros(), about(Vector3::z(), q[0])),
        JointKind::Prismatic => (Vector3::z() * q[0], UnitQuaternion::identity()),
        JointKind::Cylindrical => (Vector3::z() * q[0], about(Vector3::z(), q[1])),
        JointKind::Universal => (Vector3::zeros(), about(Vector3::z(), q[0]) * about(Vector3::x(), q[1])),
        JointKind::Planar => (Vector3::new(q[0], q[1], 0.0), about(Vector3::z(), q[2])),
    };
    Pose { position: slide, orientation: turn }
}

fn drive(mechanism: &Mechanism<'_>, rates: &[f64], state: &mut State) {
    let ways = mechanism.ways(state);
    let forest = &mechanism.forest;
    for (body, holder) in &forest.order {
        let position = state.poses[*body].position;
        let velocity = match holder {
            Holder::Ground => continue,
            Holder::Nothing => {
                let Some(entries) = forest.entries_of_free(*body) else { continue };
                let r = &rates[entries.rate..];
                Velocity { linear: Vector3::new(r[0], r[1], r[2]), angular: Vector3::new(r[3], r[4], r[5]) }
            }
            Holder::Joint { joint, parent, is_b } => {
                let Some(entries) = forest.entries_of(*joint) else { continue };
                let [_, n] = counts(mechanism.scene.joints[*joint].kind);
                let carried = state.velocities[*parent].about(&(position - state.poses[*parent].position));
                let sign = if *is_b { 1.0 } else { -1.0 };
                (entries.rate..entries.rate + n).fold(carried, |sum, place| {
                    let Velocity { linear, angular } = ways[place].about(&position);
                    let rate = sign * rates[place];
                    sum + Velocity { linear: linear * rate, angular: angular * rate }
                })
            }
        };
        state.velocities[*body] = velocity;
    }
}

fn inverse(pose: &Pose) -> Pose {
    let back = pose.orientation.inverse();
    Pose { position: back * -pose.position, orientation: back }
}

/// The rotation of a quaternion (w, x, y, z), whose length does not count.
fn rotation(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
}
