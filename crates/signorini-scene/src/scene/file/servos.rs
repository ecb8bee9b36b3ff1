//! `[[servo]]`.

use super::named::Named;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_press::{ServoEntry, WidthEntry};
use super::report::{Check, Report};
use super::time_functions::{time_function, time_function_of};
use crate::scene::definition::Scene;
use crate::scene::joint::{Drive, Joint, Motor};
use crate::scene::servo::{Servo, Width};

/// All servos, their fields checked.
pub fn servos(file: &SceneFile, named: &Named<'_>, joints: &[Joint], report: &mut Report) -> Vec<Servo> {
    let mut found: Vec<Servo> = Vec::new();
    let motors = || joints.iter().flat_map(|joint| &joint.coordinates).flat_map(|c| &c.motors);
    for (i, e) in file.servo.iter().enumerate() {
        let mut check = report.at(entry("servo", i, &e.motor));
        match motors().find(|motor| motor.name == e.motor) {
            Some(motor) => check_motor(motor, &mut check),
            // A motor with faults is told already.
            None if motors().count() < file.motor.len() => {}
            None => {
                let mut known: Vec<&str> = motors().map(|motor| motor.name.as_str()).collect();
                known.sort_unstable();
                check.unknown("motor", &e.motor, "motor", &known);
            }
        }
        if found.iter().any(|other| other.motor == e.motor) {
            check.fault("motor", format!("{:?}", e.motor), "a motor has one servo");
        }
        let stress = time_function("stress", &e.stress, &mut check);
        let widths = e.widths.each_ref().map(|e| width(e, named, &mut check));
        if let (Some(stress), [Some(a), Some(b)]) = (stress, widths) {
            found.push(Servo { motor: e.motor.clone(), stress, widths: [a, b] });
        }
    }
    found
}

fn check_motor(motor: &Motor, check: &mut Check<'_>) {
    if let Drive::Position { .. } | Drive::Velocity { damping: Some(_), .. } = motor.drive {
        let allowed = "a motor that gives a force, or reaches a velocity";
        check.fault("motor", format!("{:?}", motor.name), allowed);
    }
}

fn width(e: &WidthEntry, named: &Named<'_>, check: &mut Check<'_>) -> Option<Width> {
    let along = check.direction("widths.along", e.along);
    let ids = e.between.each_ref().map(|name| named.find("widths.between", name, check));
    let [Some(a), Some(b)] = ids else { return None };
    Some(Width { bodies: [a, b], along })
}

/// Faults of servos whose area is not above 0 at the start.
pub fn check_start(scene: &Scene, report: &mut Report) {
    let start = scene.initial_state();
    for (i, servo) in scene.servos.iter().enumerate() {
        let mut check = report.at(entry("servo", i, &servo.motor));
        for width in &servo.widths {
            let length = width.length(&scene.bodies, &start.poses);
            let names = width.bodies.map(|id| scene.bodies[id].name.as_str());
            if !length.is_finite() {
                let allowed = "a half-space must face along the direction, or against it as the second body";
                check.fault("widths", format!("{names:?}"), allowed);
            } else if length <= 0.0 {
                let allowed = format!("the second body must begin behind the first one, not {length:.3e} m");
                check.fault("widths", format!("{names:?}"), allowed);
            }
        }
    }
}

/// The entries of a scene's servos.
pub fn servos_of(scene: &Scene) -> Vec<ServoEntry> {
    let width = |width: &Width| WidthEntry {
        between: width.bodies.map(|id| scene.bodies[id].name.clone()),
        along: width.along.into(),
    };
    let entry = |servo: &Servo| ServoEntry {
        motor: servo.motor.clone(),
        stress: time_function_of(&servo.stress),
        widths: servo.widths.each_ref().map(width),
    };
    scene.servos.iter().map(entry).collect()
}
