//! `[[press]]`: becomes a prismatic joint with a motor, and a force that carries the plate's weight along the
//! joint. The motor's force is that at the end of a step, so that what is pressed feels it exactly.

use super::place::entry;
use super::raw::{ExcludeEntry, SceneFile};
use super::raw_joints::{CourseEntry, JointEntry, JointType, MotorEntry};
use super::raw_press::{PressEntry, ServoEntry};
use super::report::{Check, Report};
use crate::scene::body::Body;
use nalgebra::Vector3;
use std::borrow::Cow;

/// The file with joints and motors in place of its plates, whose bodies get the force that carries them.
pub fn with_joints<'a>(file: &'a SceneFile, bodies: &mut [Body], report: &mut Report) -> Cow<'a, SceneFile> {
    if file.press.is_empty() {
        return Cow::Borrowed(file);
    }
    let mut made = file.clone();
    let driven: Vec<&String> = file.motion.iter().filter_map(|motion| motion.body.as_ref()).collect();
    let ground = bodies.iter().find(|body| body.fixed && !driven.contains(&&body.name));
    let ground = ground.map(|body| body.name.clone());
    for (index, e) in file.press.iter().enumerate() {
        let mut check = report.at(entry("press", index, &e.body));
        let Some(plate) = plate(e, bodies, &mut check) else { continue };
        if file.press[..index].iter().any(|other| other.body == e.body) {
            check.fault("body", format!("{:?}", e.body), "a body may press once");
        }
        let direction = check.direction("direction", e.direction);
        let force = force(e, &mut check);
        let widths = e.widths.clone().filter(|_| e.stress.is_some());
        let speed = e.speed.map(|speed| check.positive("speed", speed));
        let Some(ground) = &ground else {
            let allowed = "the scene needs a fixed body, against which a plate is guided";
            check.fault("body", format!("{:?}", e.body), allowed);
            continue;
        };
        let carried = Vector3::from(file.simulation.gravity).dot(&direction) * bodies[plate].mass;
        bodies[plate].force -= direction * carried;
        let joint = format!("{} press", e.body);
        made.motor.push(motor(&joint, force, speed));
        made.servo.extend(widths.map(|widths| {
            let stress = CourseEntry::Constant { value: force };
            ServoEntry { motor: joint.clone(), stress, widths }
        }));
        made.joint.push(guide(joint, [ground.clone(), e.body.clone()], direction.into()));
        // Plates pass each other at the edges of what they press.
        let others = file.press[..index].iter().map(|other| [other.body.clone(), e.body.clone()]);
        made.exclude.extend(others.map(|between| ExcludeEntry { between }));
    }
    made.press.clear();
    Cow::Owned(made)
}

/// The body of a plate; a fault where there is none that can move.
fn plate(e: &PressEntry, bodies: &[Body], check: &mut Check<'_>) -> Option<usize> {
    let found = bodies.iter().position(|body| body.name == e.body);
    match found {
        None => {
            let mut known: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
            known.sort_unstable();
            check.unknown("body", &e.body, "body", &known);
        }
        Some(place) if bodies[place].fixed => {
            check.fault("body", format!("{:?}", e.body), "must be a body that can move");
            return None;
        }
        Some(_) => {}
    }
    found
}

/// Force of a plate (N); with widths the stress (Pa), from which a servo makes the force.
fn force(e: &PressEntry, check: &mut Check<'_>) -> f64 {
    match (e.force, e.stress, e.area, &e.widths) {
        (Some(force), None, None, None) => check.positive("force", force),
        (None, Some(stress), None, Some(_)) => check.positive("stress", stress),
        (None, Some(stress), Some(area), None) => {
            check.positive("stress", stress) * check.positive("area", area)
        }
        _ => {
            check.fault("force", "unclear", "give force, or stress and area, or stress and widths");
            1.0
        }
    }
}

/// A motor that pushes with a force (N); with no more than that where it holds a speed (m/s).
fn motor(joint: &str, force: f64, speed: Option<f64>) -> MotorEntry {
    let constant = |value: f64| Some(CourseEntry::Constant { value });
    MotorEntry {
        name: None,
        joint: joint.to_owned(),
        coordinate: None,
        velocity: speed.and_then(constant),
        position: None,
        force: if speed.is_none() { constant(force) } else { None },
        stiffness: None,
        damping: None,
        largest_force: speed.map(|_| force),
        range: None,
        passive: false,
    }
}

/// A joint that lets the second body slide along an axis.
fn guide(name: String, between: [String; 2], axis: [f64; 3]) -> JointEntry {
    JointEntry { name, between, axis: Some(axis), collide: true, ..JointEntry::of(JointType::Prismatic) }
}
