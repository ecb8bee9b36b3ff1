//! Joints and couplings, with limits, motors and prescribed motions of their coordinates.

use super::text::{Text, number, time_function};
use signorini_scene::scene::{
    Axis, Coordinate, Coupling, Drive, Joint, JointCoordinate, Motion, Motor, Scene,
};

/// Adds the joints to the summary.
pub fn describe(scene: &Scene, text: &mut Text) {
    text.list("joints", scene.joints.len(), scene.joints.iter().map(|joint| entry(scene, joint)));
    text.list("couplings", scene.couplings.len(), scene.couplings.iter().map(|c| coupled(scene, c)));
    let pair = |[a, b]: &[usize; 2]| {
        format!("{:?} and {:?} have no contact", scene.bodies[*a].name, scene.bodies[*b].name)
    };
    text.list("excluded", scene.excluded.len(), scene.excluded.iter().map(pair));
}

fn coupled(scene: &Scene, coupling: &Coupling) -> String {
    let named = |at: JointCoordinate| format!("{} of {:?}", at.axis.as_str(), scene.joints[at.joint].name);
    let mut text =
        format!("{:?}: {} = {}", coupling.name, named(coupling.of), number(coupling.coefficients[0]));
    for (k, c) in coupling.coefficients.iter().enumerate().skip(1).filter(|(_, c)| **c != 0.0) {
        let power = if k > 1 { format!(" to the power {k}") } else { String::new() };
        text += &format!(" + {} times {}{power}", number(*c), named(coupling.to));
    }
    text
}

fn entry(scene: &Scene, joint: &Joint) -> String {
    let [a, b] = joint.bodies.map(|id| &scene.bodies[id].name);
    let mut text = format!("{:?}: {} between {a:?} and {b:?}", joint.name, joint.kind.as_str());
    if joint.kind.axes() == [Axis::Length] && joint.coordinates.is_empty() {
        text += &format!(", length {} m", number(joint.length));
    }
    for coordinate in &joint.coordinates {
        text += &acting(coordinate, &joint.name);
    }
    if joint.collide {
        text += ", the bodies may touch";
    }
    text
}

/// Returns limits, motors and motion of a coordinate as text.
fn acting(coordinate: &Coordinate, joint: &str) -> String {
    let axis = coordinate.axis.as_str();
    let (unit, push) = match coordinate.axis {
        Axis::Angle => ("rad", "N m"),
        Axis::Slide | Axis::Length => ("m", "N"),
    };
    let mut text = String::new();
    if let Some([low, high]) = coordinate.limits {
        text += &format!(", {axis} {} to {} {unit}", number(low), number(high));
    }
    if coordinate.armature > 0.0 {
        let unit = if coordinate.axis == Axis::Angle { "kg m²" } else { "kg" };
        text += &format!(", armature {} {unit}", number(coordinate.armature));
    }
    for motor in &coordinate.motors {
        let name = if motor.name == joint { String::new() } else { format!(" {:?}", motor.name) };
        text += &format!(", motor{name} on {axis} {}", driving(motor, unit, push));
    }
    if let Some(motion) = &coordinate.motion {
        text += &format!(", {axis} moves by {}", moved(motion, unit));
    }
    text
}

/// Returns the drive of a motor as text.
fn driving(motor: &Motor, unit: &str, push: &str) -> String {
    let does = match &motor.drive {
        Drive::Velocity { velocity, damping: None } => format!("to {} {unit}/s", time_function(velocity)),
        Drive::Velocity { velocity, damping: Some(damping) } => {
            format!("to {} {unit}/s with damping {}", time_function(velocity), number(*damping))
        }
        Drive::Position { position, stiffness, damping } => {
            let (stiffness, damping) = (number(*stiffness), number(*damping));
            format!("to {} {unit} with stiffness {stiffness} and damping {damping}", time_function(position))
        }
        Drive::Force { force } => format!("with {} {push}", time_function(force)),
    };
    if motor.largest_force.is_finite() {
        return format!("{does} by at most {} {push}", number(motor.largest_force));
    }
    does
}

/// Returns a prescribed motion as text.
pub fn moved(motion: &Motion, unit: &str) -> String {
    match motion {
        Motion::Position(over_time) => format!("position {} {unit}", time_function(over_time)),
        Motion::Velocity(over_time) => format!("velocity {} {unit}/s", time_function(over_time)),
        Motion::Acceleration(motion) => {
            let end = motion.end().map_or_else(String::new, |[t, v, x]| {
                format!(
                    "; at {} s it has gone {} {unit} and goes on with {} {unit}/s",
                    number(t),
                    number(x),
                    number(v)
                )
            });
            let start = match motion.start_velocity() {
                0.0 => String::new(),
                start => format!("from {} {unit}/s on, ", number(start)),
            };
            format!("{start}acceleration {} {unit}/s²{end}", time_function(motion.function()))
        }
    }
}
