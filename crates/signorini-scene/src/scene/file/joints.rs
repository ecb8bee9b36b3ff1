//! `[[joint]]`.

use super::coordinates::coordinate;
use super::couplings;
use super::joint_frames::{frames, length};
use super::motions;
use super::motors;
use super::named::Named;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_joints::{JointEntry, JointType};
use super::report::{Check, Report};
use crate::scene::body::Body;
use crate::scene::coupling::Coupling;
use crate::scene::definition::Scene;
use crate::scene::joint::{Axis, Control, Joint, JointKind, nearest_turn, placement};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Violation accepted at the start, in m per m of the joint's size and in rad; one step takes it up.
pub const ACCEPTED_VIOLATION: f64 = 1e-6;

/// Joints of a file with their limits, motors and motions, the motors that are set from outside, and
/// couplings whose offsets are still to be measured.
pub type Found = (Vec<Joint>, Vec<Control>, Vec<Coupling>);

/// All joints, and all that acts on their coordinates.
pub fn joints(file: &SceneFile, named: &Named<'_>, report: &mut Report) -> Found {
    let mut found: Vec<Joint> = Vec::new();
    // A faulty joint may still be named by a motor.
    let mut names: HashMap<&str, Option<usize>> = HashMap::new();
    for (i, e) in file.joint.iter().enumerate() {
        let mut check = report.at(entry("joint", i, &e.name));
        check.name("name", &e.name);
        let joint = joint(e, named, &mut check);
        let place = joint.is_some().then_some(found.len());
        if names.insert(&e.name, place).is_some() {
            check.fault("name", format!("{:?}", e.name), "must be unique among the joints");
        }
        found.extend(joint);
    }
    let mut known: Vec<&str> = names.keys().copied().collect();
    known.sort_unstable();
    let mut controls = motors::motors(file, &names, &known, &mut found, named, report);
    motions::of_joints(file, &names, &known, &mut found, named, report);
    let couplings = couplings::couplings(file, &mut found, named, report);
    let axis_of = |control: &Control| found[control.motor[0]].coordinates[control.motor[1]].axis;
    let axes: Vec<Axis> = controls.iter().map(axis_of).collect();
    for joint in &mut found {
        joint.sort_coordinates();
    }
    for (control, axis) in controls.iter_mut().zip(axes) {
        let place = found[control.motor[0]].coordinates.iter().position(|c| c.axis == axis);
        control.motor[1] = place.unwrap_or(control.motor[1]);
    }
    (found, controls, couplings)
}

fn joint(e: &JointEntry, named: &Named<'_>, check: &mut Check<'_>) -> Option<Joint> {
    let a = named.find("between", &e.between[0], check);
    let b = named.find("between", &e.between[1], check);
    let bodies = [a?, b?];
    let between = format!("{:?}", e.between);
    if bodies[0] == bodies[1] {
        check.fault("between", between, "must be two bodies");
        return None;
    }
    if bodies.iter().all(|id| named.bodies[*id].fixed) {
        let allowed = "at least one of the two must move freely (neither fixed nor with a prescribed motion)";
        check.fault("between", between, allowed);
        return None;
    }
    let kind = kind_of(e.kind);
    let poses = bodies.map(|id| named.bodies[id].pose);
    let frames = frames(e, kind, (bodies, named), check)?;
    let length = length(e, kind, &frames, &poses, check);
    let mut joint = Joint {
        name: e.name.clone(),
        kind,
        bodies,
        frames,
        length,
        coordinates: Vec::new(),
        mortar: None,
        collide: e.collide,
    };
    let limits = [
        ("slide_limits", Axis::Slide, e.slide_limits),
        ("angle_limits", Axis::Angle, e.angle_limits),
        ("length_limits", Axis::Length, e.length_limits),
    ];
    for (field, axis, limits) in limits {
        let Some(limits) = limits else { continue };
        if let Some(limits) = check_limits(field, axis, kind, limits, check) {
            coordinate(&mut joint, axis, named).limits = Some(limits);
        }
    }
    if let Some(armature) = e.armature
        && let Some(axis) = check_armature(kind, armature, check)
    {
        coordinate(&mut joint, axis, named).armature = armature;
    }
    Some(joint)
}

fn kind_of(kind: JointType) -> JointKind {
    match kind {
        JointType::Fixed => JointKind::Fixed,
        JointType::Ball => JointKind::Ball,
        JointType::Revolute => JointKind::Revolute,
        JointType::Prismatic => JointKind::Prismatic,
        JointType::Cylindrical => JointKind::Cylindrical,
        JointType::Universal => JointKind::Universal,
        JointType::Planar => JointKind::Planar,
        JointType::Distance => JointKind::Distance,
    }
}

/// The word of the file for a kind; None for mortar, which follows from materials.
fn type_of(kind: JointKind) -> Option<JointType> {
    Some(match kind {
        JointKind::Fixed => JointType::Fixed,
        JointKind::Ball => JointType::Ball,
        JointKind::Revolute => JointType::Revolute,
        JointKind::Prismatic => JointType::Prismatic,
        JointKind::Cylindrical => JointType::Cylindrical,
        JointKind::Universal => JointType::Universal,
        JointKind::Planar => JointType::Planar,
        JointKind::Distance => JointType::Distance,
        JointKind::Mortar => return None,
    })
}

/// The only coordinate of a joint, if the joint may have an inertia of its own and has one.
fn check_armature(kind: JointKind, armature: f64, check: &mut Check<'_>) -> Option<Axis> {
    let value = check.not_negative("armature", armature);
    match kind.axes() {
        [axis @ (Axis::Slide | Axis::Angle)] => Some(*axis).filter(|_| value == armature && value > 0.0),
        _ => {
            let allowed = format!("only of a revolute or prismatic joint, not of a {} one", kind.as_str());
            check.fault("armature", format!("{armature:?}"), allowed);
            None
        }
    }
}

fn check_limits(
    field: &str,
    axis: Axis,
    kind: JointKind,
    limits: [f64; 2],
    check: &mut Check<'_>,
) -> Option<[f64; 2]> {
    let value = format!("{limits:?}");
    if !kind.axes().contains(&axis) {
        check.fault(field, value, format!("a {} joint has no {}", kind.as_str(), axis.as_str()));
        return None;
    }
    let [low, high] = [check.finite(field, limits[0]), check.finite(field, limits[1])];
    if low >= high {
        check.fault(field, value, "the lower limit must be below the upper one");
        return None;
    }
    if axis == Axis::Angle && high - low > TAU {
        check.fault(field, value, "angles repeat after 2π: the limits must be at most that far apart");
        return None;
    }
    if axis == Axis::Length && low < 0.0 {
        check.fault(field, value, "a length is not negative");
        return None;
    }
    Some([low, high])
}

/// Whether all joints hold at time 0; faults otherwise.
pub fn check_start(joints: &[Joint], bodies: &[Body], report: &mut Report) {
    for (i, joint) in joints.iter().enumerate() {
        let size = joint.size(|id| bodies[id].size());
        let [distance, angle] = joint.violation(joint.bodies.map(|id| &bodies[id].pose));
        let mut check = report.at(entry("joint", i, &joint.name));
        if distance > ACCEPTED_VIOLATION * size || angle > ACCEPTED_VIOLATION {
            let value = format!("violated by {distance:.6e} m and {angle:.6e} rad at time 0");
            let allowed = format!(
                "at most {:.1e} m and {ACCEPTED_VIOLATION:.0e} rad: place the bodies so that it holds, or have them assembled (--assemble, SceneBuilder::assemble)",
                ACCEPTED_VIOLATION * size
            );
            check.fault("between", value, allowed);
        }
        for c in &joint.coordinates {
            let Some([low, high]) = c.limits else { continue };
            let middle = 0.5 * (low + high);
            let start = if c.axis == Axis::Angle { nearest_turn(c.start, middle) } else { c.start };
            let unit = if c.axis == Axis::Angle { 1.0 } else { size };
            if start < low - ACCEPTED_VIOLATION * unit || start > high + ACCEPTED_VIOLATION * unit {
                let field = format!("{}_limits", c.axis.as_str());
                check.fault(
                    &field,
                    format!("[{low:?}, {high:?}]"),
                    format!("must hold {start:?}, the value at time 0"),
                );
            }
        }
    }
}

/// Measures the coordinates at time 0 again, after bodies moved.
pub fn measure_starts(joints: &mut [Joint], bodies: &[Body]) {
    for joint in joints {
        let poses = joint.bodies.map(|id| placement(&bodies[id].pose));
        for k in 0..joint.coordinates.len() {
            joint.coordinates[k].start = joint.coordinate_row(joint.coordinates[k].axis).value(&poses);
        }
    }
}

/// The entries of a scene's joints.
pub fn joints_of(scene: &Scene) -> Vec<JointEntry> {
    let entry = |joint: &Joint| {
        let kind = type_of(joint.kind)?;
        let limits = |axis: Axis| joint.coordinates.iter().find(|c| c.axis == axis).and_then(|c| c.limits);
        Some(JointEntry {
            name: joint.name.clone(),
            kind,
            between: joint.bodies.map(|id| scene.bodies[id].name.clone()),
            anchor: None,
            axis: None,
            second_axis: None,
            anchors: Some(joint.frames.map(|f| f.position.into())),
            axes: None,
            orientations: Some(joint.frames.map(|f| {
                let q = f.orientation;
                [q.w, q.i, q.j, q.k]
            })),
            length: (joint.kind == JointKind::Distance).then_some(joint.length),
            slide_limits: limits(Axis::Slide),
            angle_limits: limits(Axis::Angle),
            length_limits: limits(Axis::Length),
            armature: joint.coordinates.iter().map(|c| c.armature).find(|armature| *armature > 0.0),
            collide: joint.collide,
        })
    };
    scene.joints.iter().filter_map(entry).collect()
}
