//! `[[sensor]]`.

use super::named::Named;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_sensors::{FrameName, SensorEntry};
use super::report::{Check, Report};
use crate::scene::definition::Scene;
use crate::scene::joint::Joint;
use crate::scene::sensor::{Sensed, Sensor};
use nalgebra::Vector3;

/// All sensors, their fields checked.
pub fn sensors(file: &SceneFile, named: &Named<'_>, joints: &[Joint], report: &mut Report) -> Vec<Sensor> {
    let mut found: Vec<Sensor> = Vec::new();
    for (i, e) in file.sensor.iter().enumerate() {
        let mut check = report.at(entry("sensor", i, &e.name));
        check.name("name", &e.name);
        if found.iter().any(|other| other.name == e.name) {
            check.fault("name", format!("{:?}", e.name), "must be unique among the sensors");
        }
        let point = e.point.map(|point| check.vector("point", point));
        let Some(sensed) = sensed(e, file, named, &mut check) else { continue };
        let point = point.map(|point| in_own_frame(e, point, named));
        found.push(Sensor { name: e.name.clone(), sensed, frame: e.frame.into(), point });
    }
    // Joints with faults are told already.
    found.retain(|sensor| match &sensor.sensed {
        Sensed::Joint(name) => joints.iter().any(|joint| joint.name == *name),
        Sensed::Bodies { .. } => true,
    });
    found
}

fn sensed(e: &SensorEntry, file: &SceneFile, named: &Named<'_>, check: &mut Check<'_>) -> Option<Sensed> {
    if let Some(joint) = &e.joint {
        let known: Vec<&str> = file.joint.iter().map(|joint| joint.name.as_str()).collect();
        if !known.contains(&joint.as_str()) {
            check.unknown("joint", joint, "joint", &known);
        }
        if !e.on.is_empty() || e.by.is_some() {
            let allowed = "either a joint, or bodies on which others act";
            check.fault("joint", format!("{joint:?}"), allowed);
        }
        if e.frame == FrameName::Body {
            check.fault("frame", "\"body\"", "\"world\" or \"joint\" where a joint is given");
        }
        return Some(Sensed::Joint(joint.clone()));
    }
    if e.frame == FrameName::Joint {
        check.fault("frame", "\"joint\"", "only where a joint is given: \"world\" or \"body\"");
    }
    if e.on.is_empty() {
        check.fault("on", "[]", "at least one body, or a joint in its place");
        return None;
    }
    for (field, name) in e.on.iter().map(|n| ("on", n)).chain(e.by.iter().flatten().map(|n| ("by", n))) {
        if !named.ids.contains_key(name) {
            check.unknown(field, name, "body", &named.listed);
        }
    }
    if let Some(both) = e.by.iter().flatten().find(|name| e.on.contains(name)) {
        check.fault("by", format!("{both:?}"), "a body cannot be in both groups");
    }
    Some(Sensed::Bodies { on: e.on.clone(), by: e.by.clone() })
}

/// A point given in the frame in which a body is written, about its centre of mass.
fn in_own_frame(e: &SensorEntry, point: Vector3<f64>, named: &Named<'_>) -> Vector3<f64> {
    let body = e.on.first().filter(|_| e.frame == FrameName::Body);
    let body = body.and_then(|name| named.ids.get(name));
    body.map_or(point, |body| named.point(*body, point))
}

/// The entries of a scene's sensors.
pub fn sensors_of(scene: &Scene) -> Vec<SensorEntry> {
    let entry = |sensor: &Sensor| {
        let (on, by, joint) = match &sensor.sensed {
            Sensed::Bodies { on, by } => (on.clone(), by.clone(), None),
            Sensed::Joint(joint) => (Vec::new(), None, Some(joint.clone())),
        };
        let (frame, point) = (sensor.frame.into(), sensor.point.map(Into::into));
        SensorEntry { name: sensor.name.clone(), on, by, joint, frame, point }
    };
    scene.sensors.iter().map(entry).collect()
}
