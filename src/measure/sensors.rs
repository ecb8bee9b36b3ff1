//! Readings of the sensors of a scene, a row for each.

use super::observed::Observed;
use super::value::{Value, numbers};
use crate::step::read_sensor;
use signorini_scene::scene::Sensor;

pub const COLUMNS: [&str; 7] = ["sensor", "fx", "fy", "fz", "tx", "ty", "tz"];

/// The rows of a step: force (N) and torque (N m) of each sensor, nothing where its first body has left.
pub fn rows(step: &Observed<'_>) -> Vec<Vec<Value>> {
    let read = |sensor: &Sensor| read_sensor(sensor, (step.scene, step.state), step.contacts, step.joints);
    let row = |sensor: &Sensor| {
        let mut row = vec![Value::Name(sensor.name.clone())];
        match read(sensor) {
            Some(found) => row.extend(numbers([found.force, found.torque].iter().flatten().copied())),
            None => row.extend([const { Value::Nothing }; 6]),
        }
        row
    };
    step.scene.sensors.iter().map(row).collect()
}
