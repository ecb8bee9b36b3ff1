//! The columns of `joints.csv`.

use super::cell_text;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini::step::{JointRecord, Span};
use signorini_scene::scene::Scene;
use std::borrow::Cow;

/// A row of `joints.csv`: a joint at the end of a step or substep, impulses of that (sub)step on body B.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct JointRow<'a> {
    pub step: usize,
    pub time: f64,
    #[serde(with = "cell_text")]
    pub joint: Cow<'a, str>,
    #[serde(with = "cell_text")]
    pub body_a: Cow<'a, str>,
    #[serde(with = "cell_text")]
    pub body_b: Cow<'a, str>,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub impulse_x: f64,
    pub impulse_y: f64,
    pub impulse_z: f64,
    pub angular_impulse_x: f64,
    pub angular_impulse_y: f64,
    pub angular_impulse_z: f64,
    pub position_error: f64,
    pub angle_error: f64,
    pub displacement: Option<f64>,
    pub angle: Option<f64>,
    pub motion_impulse: f64,
    pub motion_angular_impulse: f64,
    pub motor_impulse: f64,
    pub motor_angular_impulse: f64,
    pub limit_impulse: f64,
    pub limit_angular_impulse: f64,
    pub substep_start: f64,
    pub substep_end: f64,
    pub theta: Option<f64>,
    #[serde(default)]
    pub coupling_impulse: f64,
    #[serde(default)]
    pub coupling_angular_impulse: f64,
    #[serde(default)]
    pub turns: f64,
    #[serde(default)]
    pub damage_start: f64,
    #[serde(default)]
    pub damage: f64,
}

impl<'a> JointRow<'a> {
    /// Header of `joints.csv`.
    pub const COLUMNS: [&'static str; 32] = [
        "step",
        "time",
        "joint",
        "body_a",
        "body_b",
        "x",
        "y",
        "z",
        "impulse_x",
        "impulse_y",
        "impulse_z",
        "angular_impulse_x",
        "angular_impulse_y",
        "angular_impulse_z",
        "position_error",
        "angle_error",
        "displacement",
        "angle",
        "motion_impulse",
        "motion_angular_impulse",
        "motor_impulse",
        "motor_angular_impulse",
        "limit_impulse",
        "limit_angular_impulse",
        "substep_start",
        "substep_end",
        "theta",
        "coupling_impulse",
        "coupling_angular_impulse",
        "turns",
        "damage_start",
        "damage",
    ];

    /// Makes the row of a joint; `time` is that of the end of the step.
    pub fn new(scene: &'a Scene, record: &JointRecord, step: usize, time: f64) -> Self {
        let joint = &scene.joints[record.joint];
        let name = |id: usize| Cow::Borrowed(scene.bodies[id].name.as_str());
        let (p, f, t) = (&record.point, &record.force, &record.torque);
        Self {
            step,
            time: time - (1.0 - record.span.end) * scene.time_step,
            joint: Cow::Borrowed(&joint.name),
            body_a: name(joint.bodies[0]),
            body_b: name(joint.bodies[1]),
            x: p.x,
            y: p.y,
            z: p.z,
            impulse_x: f.x,
            impulse_y: f.y,
            impulse_z: f.z,
            angular_impulse_x: t.x,
            angular_impulse_y: t.y,
            angular_impulse_z: t.z,
            position_error: record.error[0],
            angle_error: record.error[1],
            displacement: record.coordinate[0],
            angle: record.coordinate[1],
            motion_impulse: record.motion[0],
            motion_angular_impulse: record.motion[1],
            motor_impulse: record.motor[0],
            motor_angular_impulse: record.motor[1],
            limit_impulse: record.limit[0],
            limit_angular_impulse: record.limit[1],
            substep_start: record.span.start,
            substep_end: record.span.end,
            theta: record.theta,
            coupling_impulse: record.coupling[0],
            coupling_angular_impulse: record.coupling[1],
            turns: record.turns as f64,
            damage_start: record.damage[0],
            damage: record.damage[1],
        }
    }

    /// Record of the row, of the joint with that index.
    pub fn record(&self, joint: usize) -> JointRecord {
        JointRecord {
            joint,
            point: Vector3::new(self.x, self.y, self.z),
            force: Vector3::new(self.impulse_x, self.impulse_y, self.impulse_z),
            torque: Vector3::new(self.angular_impulse_x, self.angular_impulse_y, self.angular_impulse_z),
            error: [self.position_error, self.angle_error],
            coordinate: [self.displacement, self.angle],
            motion: [self.motion_impulse, self.motion_angular_impulse],
            motor: [self.motor_impulse, self.motor_angular_impulse],
            limit: [self.limit_impulse, self.limit_angular_impulse],
            span: Span { start: self.substep_start, end: self.substep_end },
            theta: self.theta,
            coupling: [self.coupling_impulse, self.coupling_angular_impulse],
            // No joint counts a part of a turn: the referee sees what none can have.
            turns: if self.turns.fract() == 0.0 { self.turns as i64 } else { i64::MAX },
            damage: [self.damage_start, self.damage],
        }
    }
}
