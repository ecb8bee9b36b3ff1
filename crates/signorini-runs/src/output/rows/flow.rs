//! `flow.csv`.

use super::cell_text;
use serde::{Deserialize, Serialize};
use signorini::step::{FlowEvent, FlowRecord, PortEvent};
use signorini_scene::scene::Scene;
use std::borrow::Cow;

/// A row of `flow.csv`: a body that came in at an inlet or left at an outlet with a step, or waits for room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct FlowRow<'a> {
    pub step: usize,
    pub time: f64,
    pub event: Cow<'a, str>,
    #[serde(with = "cell_text")]
    pub gate: Cow<'a, str>,
    #[serde(with = "cell_text")]
    pub body: Cow<'a, str>,
    pub mass: f64,
    pub since: f64,
    pub shape: usize,
    pub scale: f64,
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub z: Option<f64>,
    pub qw: Option<f64>,
    pub qx: Option<f64>,
    pub qy: Option<f64>,
    pub qz: Option<f64>,
    pub vx: Option<f64>,
    pub vy: Option<f64>,
    pub vz: Option<f64>,
    pub wx: Option<f64>,
    pub wy: Option<f64>,
    pub wz: Option<f64>,
    pub contacts: usize,
    pub impulse: f64,
}

impl<'a> FlowRow<'a> {
    /// Header of `flow.csv`.
    pub const COLUMNS: [&'static str; 24] = [
        "step", "time", "event", "gate", "body", "mass", "since", "shape", "scale", "x", "y", "z", "qw",
        "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", "contacts", "impulse",
    ];

    /// Makes the row of an event in a step.
    pub fn new(scene: &'a Scene, record: &'a FlowRecord, step: usize) -> Self {
        let (position, orientation) = (record.pose.map(|p| p.position), record.pose.map(|p| p.orientation));
        let (linear, angular) = (record.velocity.map(|v| v.linear), record.velocity.map(|v| v.angular));
        Self {
            step,
            time: time_of(record.event, step, scene.time_step),
            event: Cow::Borrowed(record.event.as_str()),
            gate: Cow::Borrowed(port_name(scene, record)),
            body: Cow::Borrowed(&record.body),
            mass: record.mass,
            since: record.since,
            shape: record.shape,
            scale: record.scale,
            x: position.map(|p| p.x),
            y: position.map(|p| p.y),
            z: position.map(|p| p.z),
            qw: orientation.map(|q| q.w),
            qx: orientation.map(|q| q.i),
            qy: orientation.map(|q| q.j),
            qz: orientation.map(|q| q.k),
            vx: linear.map(|v| v.x),
            vy: linear.map(|v| v.y),
            vz: linear.map(|v| v.z),
            wx: angular.map(|w| w.x),
            wy: angular.map(|w| w.y),
            wz: angular.map(|w| w.z),
            contacts: record.contacts,
            impulse: record.impulse,
        }
    }
}

/// Instant of an event in a step (s): bodies come at its start and leave at its end.
pub fn time_of(event: FlowEvent, step: usize, time_step: f64) -> f64 {
    let instants = if event == FlowEvent::Out { step } else { step.saturating_sub(1) };
    instants as f64 * time_step
}

fn port_name<'a>(scene: &'a Scene, record: &FlowRecord) -> &'a str {
    match record.event {
        FlowEvent::Out => scene.outlets[record.port].name(),
        FlowEvent::In | FlowEvent::Wait => scene.inlets[record.port].name(),
    }
}

/// Returns the event of a record as a tally counts it.
pub fn port_event(scene: &Scene, record: &FlowRecord, step: usize) -> PortEvent {
    PortEvent {
        kind: record.event,
        port: record.port,
        mass: record.mass,
        time: time_of(record.event, step, scene.time_step),
        due: record.since,
        contacts: record.contacts,
    }
}
