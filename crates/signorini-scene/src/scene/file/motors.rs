//! `[[motor]]`.

use super::coordinates::{axis_of, coordinate, name_of};
use super::named::Named;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_joints::MotorEntry;
use super::report::{Check, Report};
use super::time_functions::{time_function, time_function_of};
use crate::scene::definition::Scene;
use crate::scene::joint::{Axis, Control, Drive, Joint, Motor};
use crate::scene::time_function::TimeFunction;
use std::collections::HashMap;

/// Puts motors into the coordinates of their joints, and returns those that are set from outside; `names` are
/// the joints, faulty ones without a place.
pub fn motors(
    file: &SceneFile,
    names: &HashMap<&str, Option<usize>>,
    known: &[&str],
    joints: &mut [Joint],
    named: &Named<'_>,
    report: &mut Report,
) -> Vec<Control> {
    let mut controls = Vec::new();
    for (i, e) in file.motor.iter().enumerate() {
        let mut check = report.at(entry("motor", i, &e.joint));
        match names.get(e.joint.as_str()) {
            None => check.unknown("joint", &e.joint, "joint", known),
            Some(None) => {}
            Some(Some(place)) => controls.extend(add(e, joints, *place, named, &mut check)),
        }
    }
    controls
}

/// Adds a motor; None after a fault, and of a motor that is not set from outside.
fn add(
    e: &MotorEntry,
    joints: &mut [Joint],
    place: usize,
    named: &Named<'_>,
    check: &mut Check<'_>,
) -> Option<Control> {
    let drive = drive(e, check);
    let largest_force = e.largest_force.map_or(f64::INFINITY, |most| check.positive("largest_force", most));
    let range = range(e, drive.as_ref(), check);
    let axis = axis_of(e.coordinate, &joints[place], "coordinate", check);
    let (Some(axis), Some(drive)) = (axis, drive) else { return None };
    if e.name.is_some() {
        check.name("name", e.name.as_deref().unwrap_or_default());
    }
    let name = e.name.clone().unwrap_or_else(|| default_name(&joints[place], axis));
    let all = joints.iter().flat_map(|joint| &joint.coordinates).flat_map(|c| &c.motors);
    if all.into_iter().any(|motor| motor.name == name) {
        check.fault("name", format!("{name:?}"), "must be unique among the motors: give this one another");
    }
    let coordinate = coordinate(&mut joints[place], axis, named);
    let is_exact = |drive: &Drive| matches!(drive, Drive::Velocity { damping: None, .. });
    if is_exact(&drive) && coordinate.motors.iter().any(|motor| is_exact(&motor.drive)) {
        check.fault(
            "joint",
            format!("{:?}", e.joint),
            "this coordinate has a motor that reaches its rate already",
        );
    }
    coordinate.motors.push(Motor { name, drive, largest_force });
    let motor = coordinate.motors.len() - 1;
    let coordinate = joints[place].coordinates.iter().position(|c| c.axis == axis)?;
    (!e.passive).then_some(Control { motor: [place, coordinate, motor], range })
}

/// The values that a motor can be set to; a constant value of the file must be one of them.
fn range(e: &MotorEntry, drive: Option<&Drive>, check: &mut Check<'_>) -> Option<[f64; 2]> {
    let [low, high] = e.range?;
    let value = || format!("{:?}", [low, high]);
    if e.passive {
        check.fault("range", value(), "only of a motor that is not passive");
    } else if !(low.is_finite() && high.is_finite() && low <= high) {
        check.fault("range", value(), "must be two finite numbers, the smaller one first");
    } else if let Some(TimeFunction::Constant { value: start }) = drive.map(Drive::target)
        && !(low..=high).contains(start)
    {
        check.fault("range", value(), format!("must hold the value of the motor, {start:?}"));
    }
    Some([low, high])
}

/// Default name of a motor: that of the joint, and of the coordinate where there are several.
fn default_name(joint: &Joint, axis: Axis) -> String {
    match joint.kind.axes() {
        [_] => joint.name.clone(),
        _ => format!("{} {}", joint.name, axis.as_str()),
    }
}

fn drive(e: &MotorEntry, check: &mut Check<'_>) -> Option<Drive> {
    let only = |field: &str, value: Option<f64>, of: &str, check: &mut Check<'_>| {
        if let Some(value) = value {
            check.fault(field, format!("{value:?}"), format!("only of a motor with {of}"));
        }
    };
    match (&e.velocity, &e.position, &e.force) {
        (Some(velocity), None, None) => {
            only("stiffness", e.stiffness, "a position", check);
            let damping = e.damping.map(|c| check.positive("damping", c));
            if damping.is_none() && e.largest_force.is_none() {
                check.fault("largest_force", "absent", "required of a motor with a velocity and no damping");
            }
            time_function("velocity", velocity, check).map(|velocity| Drive::Velocity { velocity, damping })
        }
        (None, Some(position), None) => {
            let stiffness = check.not_negative("stiffness", e.stiffness.unwrap_or(0.0));
            let damping = check.not_negative("damping", e.damping.unwrap_or(0.0));
            if [e.stiffness, e.damping].iter().all(|given| given.unwrap_or(0.0) == 0.0) {
                check.fault("stiffness", "absent", "a motor with a position needs stiffness or damping > 0");
            }
            time_function("position", position, check).map(|position| Drive::Position {
                position,
                stiffness,
                damping,
            })
        }
        (None, None, Some(force)) => {
            only("stiffness", e.stiffness, "a position", check);
            only("damping", e.damping, "a position or a velocity", check);
            time_function("force", force, check).map(|force| Drive::Force { force })
        }
        _ => {
            check.fault("velocity", "unclear", "give one of velocity, position and force");
            None
        }
    }
}

/// The entries of a scene's motors: first those that are set from outside, in their order.
pub fn motors_of(scene: &Scene) -> Vec<MotorEntry> {
    let entry = |[j, c, m]: [usize; 3]| {
        let joint = &scene.joints[j];
        let coordinate = &joint.coordinates[c];
        let motor = &coordinate.motors[m];
        MotorEntry {
            name: (motor.name != default_name(joint, coordinate.axis)).then(|| motor.name.clone()),
            joint: joint.name.clone(),
            coordinate: Some(name_of(coordinate.axis)),
            largest_force: Some(motor.largest_force).filter(|most| most.is_finite()),
            ..MotorEntry::of(&motor.drive)
        }
    };
    let set = scene.controls.iter().map(|c| MotorEntry { range: c.range, ..entry(c.motor) });
    let mut entries: Vec<MotorEntry> = set.collect();
    for (j, joint) in scene.joints.iter().enumerate() {
        for (c, coordinate) in joint.coordinates.iter().enumerate() {
            let places = (0..coordinate.motors.len()).map(|m| [j, c, m]);
            let passive = places.filter(|place| scene.controls.iter().all(|control| control.motor != *place));
            entries.extend(passive.map(|place| MotorEntry { passive: true, ..entry(place) }));
        }
    }
    entries
}

impl MotorEntry {
    /// An entry with this law, for no joint yet.
    pub fn of(drive: &Drive) -> Self {
        let mut entry = Self {
            name: None,
            joint: String::new(),
            coordinate: None,
            velocity: None,
            position: None,
            force: None,
            stiffness: None,
            damping: None,
            largest_force: None,
            range: None,
            passive: false,
        };
        match drive {
            Drive::Velocity { velocity, damping } => {
                (entry.velocity, entry.damping) = (Some(time_function_of(velocity)), *damping);
            }
            Drive::Position { position, stiffness, damping } => {
                entry.position = Some(time_function_of(position));
                (entry.stiffness, entry.damping) = (Some(*stiffness), Some(*damping));
            }
            Drive::Force { force } => entry.force = Some(time_function_of(force)),
        }
        entry
    }
}
