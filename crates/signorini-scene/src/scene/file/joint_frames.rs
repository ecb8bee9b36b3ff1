//! Frames of a joint in its bodies, from the world at time 0 or from the bodies.

use super::named::Named;
use super::raw_joints::JointEntry;
use super::report::Check;
use crate::scene::joint::JointKind;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use signorini_geometry::Pose;

/// Largest cosine of two axes that count as at a right angle.
const RIGHT_ANGLE: f64 = 1e-9;

/// The joint's frames in its bodies, from the world at time 0 or from the bodies.
pub fn frames(
    e: &JointEntry,
    kind: JointKind,
    (bodies, named): ([usize; 2], &Named<'_>),
    check: &mut Check<'_>,
) -> Option<[Pose; 2]> {
    let poses = &bodies.map(|id| named.bodies[id].pose);
    let inward = |k: usize, x: &Vector3<f64>| poses[k].orientation.inverse() * (x - poses[k].position);
    let anchors = match (e.anchor, e.anchors) {
        (Some(_), Some(_)) => {
            check.fault("anchor", "given", "give either anchor (world) or anchors (one per body)");
            return None;
        }
        (Some(_), None) if kind == JointKind::Distance => {
            check.fault("anchor", "given", "a distance joint has two points: give anchors (one per body)");
            return None;
        }
        (Some(anchor), None) => {
            let anchor = check.vector("anchor", anchor);
            [inward(0, &anchor), inward(1, &anchor)]
        }
        (None, Some(anchors)) => {
            let written = anchors.map(|a| check.vector("anchors", a));
            [0, 1].map(|k| named.point(bodies[k], written[k]))
        }
        (None, None) if kind == JointKind::Distance => [Vector3::zeros(); 2],
        (None, None) if matches!(kind, JointKind::Fixed | JointKind::Prismatic | JointKind::Planar) => {
            [inward(0, &poses[1].position), Vector3::zeros()]
        }
        (None, None) => {
            let allowed =
                "required: anchor = [x, y, z] in the world at time 0, or anchors = [[…], […]] in the bodies";
            check.fault("anchor", "absent", allowed);
            return None;
        }
    };
    let turns = orientations(e, kind, poses, check)?;
    Some([0, 1].map(|k| Pose { position: anchors[k], orientation: turns[k] }))
}

fn orientations(
    e: &JointEntry,
    kind: JointKind,
    poses: &[Pose; 2],
    check: &mut Check<'_>,
) -> Option<[UnitQuaternion<f64>; 2]> {
    if kind == JointKind::Universal && e.orientations.is_none() {
        return crossed(e, poses, check);
    }
    if e.second_axis.is_some() {
        check.fault("second_axis", "given", "only of a universal joint, with axis");
    }
    let given = [e.axis.is_some(), e.axes.is_some(), e.orientations.is_some()];
    if given.iter().filter(|g| **g).count() > 1 {
        let allowed = "give one of axis (world), axes (one per body) and orientations (one per body)";
        check.fault("axis", "given more than once", allowed);
        return None;
    }
    if let Some(q) = e.orientations {
        return Some(q.map(|q| check.quaternion("orientations", q)));
    }
    let inward = |k: usize, world: UnitQuaternion<f64>| poses[k].orientation.inverse() * world;
    match (e.axis, e.axes) {
        (Some(axis), _) => {
            let world = frame_of(&check.direction("axis", axis));
            Some([inward(0, world), inward(1, world)])
        }
        (None, Some(axes)) => {
            let [a, b] = axes.map(|axis| check.direction("axes", axis));
            let first = frame_of(&a);
            // B's x is A's at time 0, rotated into the plane across B's axis: the angle starts at 0.
            let x = poses[1].orientation.inverse() * (poses[0].orientation * (first * Vector3::x()));
            Some([first, frame_with(&b, &x)])
        }
        (None, None) if matches!(kind, JointKind::Fixed | JointKind::Ball | JointKind::Distance) => {
            Some([inward(0, UnitQuaternion::identity()), inward(1, UnitQuaternion::identity())])
        }
        (None, None) => {
            let allowed =
                "required: axis = [x, y, z] in the world at time 0, or axes = [[…], […]] in the bodies";
            check.fault("axis", "absent", allowed);
            None
        }
    }
}

/// The frames of a universal joint: z along the first axis, x along the second.
fn crossed(e: &JointEntry, poses: &[Pose; 2], check: &mut Check<'_>) -> Option<[UnitQuaternion<f64>; 2]> {
    let (Some(axis), Some(second), None) = (e.axis, e.second_axis, e.axes) else {
        check.fault("axis", "unclear", "required: axis and second_axis in the world at time 0");
        return None;
    };
    let (z, x) = (check.direction("axis", axis), check.direction("second_axis", second));
    if z.dot(&x).abs() > RIGHT_ANGLE {
        check.fault("second_axis", format!("{second:?}"), "must be at a right angle to axis");
        return None;
    }
    let world = frame_with(&z, &x);
    Some([0, 1].map(|k| poses[k].orientation.inverse() * world))
}

/// A frame with the given z.
fn frame_of(z: &Vector3<f64>) -> UnitQuaternion<f64> {
    let i = z.iamin();
    frame_with(z, &Vector3::ith(i, 1.0))
}

/// A frame with the given z and an x as near as can be to the given one.
fn frame_with(z: &Vector3<f64>, x: &Vector3<f64>) -> UnitQuaternion<f64> {
    let across = x - z * z.dot(x);
    let Some(x) = across.try_normalize(1e-9) else { return frame_of(z) };
    let matrix = Matrix3::from_columns(&[x, z.cross(&x), *z]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
}

/// Length of a distance joint (m): given, or that at time 0.
pub fn length(
    e: &JointEntry,
    kind: JointKind,
    frames: &[Pose; 2],
    poses: &[Pose; 2],
    check: &mut Check<'_>,
) -> f64 {
    if kind != JointKind::Distance {
        if let Some(length) = e.length {
            check.fault("length", format!("{length:?}"), "only a distance joint has a length");
        }
        return 0.0;
    }
    let ends = [0, 1].map(|k| poses[k].point(&frames[k].position));
    let now = (ends[1] - ends[0]).norm();
    match e.length {
        Some(length) => check.positive("length", length),
        None if now > 1e-9 => now,
        None => {
            check.fault(
                "length",
                "absent",
                "the two anchors coincide at time 0: use a ball joint or give a length",
            );
            1.0
        }
    }
}
