//! Joints, with limits, motors and prescribed motions of their coordinates.

use super::text::{Text, course, number};
use crate::scene::{Axis, Coordinate, Joint, Motion, Scene};

/// Adds the joints.
pub fn describe(scene: &Scene, text: &mut Text) {
    text.list("joints", scene.joints.len(), scene.joints.iter().map(|joint| entry(scene, joint)));
    let pair = |[a, b]: &[usize; 2]| {
        format!("{:?} and {:?} have no contact", scene.bodies[*a].name, scene.bodies[*b].name)
    };
    text.list("excluded", scene.excluded.len(), scene.excluded.iter().map(pair));
}

fn entry(scene: &Scene, joint: &Joint) -> String {
    let [a, b] = joint.bodies.map(|id| &scene.bodies[id].name);
    let mut text = format!("{:?}: {} between {a:?} and {b:?}", joint.name, joint.kind.as_str());
    if joint.kind.axes() == [Axis::Length] && joint.coordinates.is_empty() {
        text += &format!(", length {} m", number(joint.length));
    }
    for coordinate in &joint.coordinates {
        text += &acting(coordinate);
    }
    if joint.collide {
        text += ", the bodies may touch";
    }
    text
}

/// What acts on a coordinate.
fn acting(coordinate: &Coordinate) -> String {
    let axis = coordinate.axis.as_str();
    let (unit, push) = match coordinate.axis {
        Axis::Angle => ("rad", "N m"),
        Axis::Slide | Axis::Length => ("m", "N"),
    };
    let mut text = String::new();
    if let Some([low, high]) = coordinate.limits {
        text += &format!(", {axis} {} to {} {unit}", number(low), number(high));
    }
    if let Some(motor) = &coordinate.motor {
        let (rate, most) = (course(&motor.velocity), number(motor.largest_force));
        text += &format!(", motor on {axis} to {rate} {unit}/s by at most {most} {push}");
    }
    if let Some(motion) = &coordinate.motion {
        text += &format!(", {axis} moves by {}", moved(motion, unit));
    }
    text
}

/// A prescribed motion.
pub fn moved(motion: &Motion, unit: &str) -> String {
    match motion {
        Motion::Position(over_time) => format!("position {} {unit}", course(over_time)),
        Motion::Velocity(over_time) => format!("velocity {} {unit}/s", course(over_time)),
    }
}
