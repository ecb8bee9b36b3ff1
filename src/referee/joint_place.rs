//! Where the frames of a joint are: the pose of B's in A's, the coordinates, and by how much the joint does
//! not hold.

use nalgebra::Vector3;
use signorini_geometry::Pose;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Joint, JointKind, State};

/// Distance (m) below which two anchors have no line between them.
pub const COINCIDENT: f64 = 1e-12;

/// Pose of B's frame in A's.
pub fn relative(joint: &Joint, poses: [&Pose; 2]) -> Pose {
    let [a, b] = [0, 1].map(|k| poses[k].compose(&joint.frames[k]));
    let back = a.orientation.inverse();
    Pose { position: back * (b.position - a.position), orientation: back * b.orientation }
}

/// Coordinate of a joint: displacement (or distance), or turn about z.
pub fn coordinate(joint: &Joint, axis: Axis, poses: [&Pose; 2]) -> f64 {
    let pose = relative(joint, poses);
    match axis {
        Axis::Slide => pose.position.z,
        Axis::Length => pose.position.norm(),
        Axis::Angle => nearest_turn(2.0 * pose.orientation.k.atan2(pose.orientation.w), 0.0),
    }
}

/// Distance (m) and angle (rad) by which the joint does not hold.
pub fn violation(joint: &Joint, poses: [&Pose; 2]) -> [f64; 2] {
    let pose = relative(joint, poses);
    let (p, q) = (pose.position, pose.orientation);
    // The arc sine gives half the angle, near 0 or near a full turn.
    let tilt = 2.0 * q.i.hypot(q.j).min(1.0).asin();
    let turn = 2.0 * q.imag().norm().min(1.0).asin();
    match joint.kind {
        JointKind::Fixed => [p.norm(), turn],
        JointKind::Ball => [p.norm(), 0.0],
        JointKind::Revolute => [p.norm(), tilt],
        JointKind::Prismatic => [p.xy().norm(), turn],
        JointKind::Cylindrical => [p.xy().norm(), tilt],
        // The axis of A and that of B are at a right angle.
        JointKind::Universal => [p.norm(), (q * Vector3::x()).z.clamp(-1.0, 1.0).asin().abs()],
        JointKind::Planar => [p.z.abs(), tilt],
        JointKind::Distance if joint.coordinates.is_empty() => [(p.norm() - joint.length).abs(), 0.0],
        JointKind::Distance | JointKind::Mortar => [0.0, 0.0],
    }
}

/// Rate of a coordinate (m/s or rad/s).
pub fn rate_of(joint: &Joint, axis: Axis, state: &State) -> f64 {
    let [a, b] = joint.bodies.map(|id| (&state.poses[id], &state.velocities[id]));
    let along = a.0.orientation * (joint.frames[0].orientation * Vector3::z());
    let turns = b.1.angular - a.1.angular;
    let ends = [(a, 0), (b, 1)].map(|((pose, v), k)| {
        let point = pose.point(&joint.frames[k].position);
        (point, v.linear + v.angular.cross(&(point - pose.position)))
    });
    let (apart, parts) = (ends[1].0 - ends[0].0, ends[1].1 - ends[0].1);
    match axis {
        Axis::Angle => along.dot(&turns),
        // The axis moves with A.
        Axis::Slide => along.dot(&(parts - a.1.angular.cross(&apart))),
        Axis::Length => apart.try_normalize(COINCIDENT).map_or(0.0, |line| line.dot(&parts)),
    }
}
