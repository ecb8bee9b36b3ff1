//! Bodies that came and left with a step.

use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::BodyId;

/// Event at an inlet or an outlet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowEvent {
    /// A body came in at the start of the step.
    In,
    /// A body left at the end of the step.
    Out,
    /// A body was due at the start of the step and found no room, for the first time.
    Wait,
}

impl FlowEvent {
    /// Word of the event in the tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Wait => "wait",
        }
    }
}

/// A body that came, left or waits.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowRecord {
    /// Event of the body.
    pub event: FlowEvent,
    /// Place of the inlet, or outlet, in the scene.
    pub port: usize,
    /// Name of the body.
    pub body: String,
    /// Id of the body; None of one that waits.
    pub id: Option<BodyId>,
    /// Mass of the body (kg).
    pub mass: f64,
    /// Index of the shape of the inlet that a coming or waiting body has.
    pub shape: usize,
    /// Size factor of that shape; 1 of a body that leaves.
    pub scale: f64,
    /// Pose with which the body came or left; None of one that waits.
    pub pose: Option<Pose>,
    /// Velocity with which the body came or left; None of one that waits.
    pub velocity: Option<Velocity>,
    /// Instant (s) at which the body was due; of a body that leaves, at which it came: 0 of one present from
    /// the start.
    pub since: f64,
    /// Number of loaded contacts of a leaving body in its last step.
    pub contacts: usize,
    /// Sum of the lengths of those contacts' impulses (N s).
    pub impulse: f64,
}
