//! Bodies that came and left with a step.

use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::BodyId;

/// What happened at an inlet or an outlet.
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
    /// The word of the tables.
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
    /// What happened.
    pub event: FlowEvent,
    /// Place of the inlet, or outlet, in the scene.
    pub gate: usize,
    /// Name of the body.
    pub body: String,
    /// Id of the body; None of one that waits.
    pub id: Option<BodyId>,
    /// Its mass (kg).
    pub mass: f64,
    /// Of a body that comes or waits: which shape of the inlet it has, and its size factor.
    pub shape: usize,
    /// See `shape`; 1 of a body that leaves.
    pub scale: f64,
    /// Where it came or left; None of one that waits.
    pub pose: Option<Pose>,
    /// How fast it came or left; None of one that waits.
    pub velocity: Option<Velocity>,
    /// When it was due (s); of a body that leaves, when it came: 0 of one that was there from the start.
    pub since: f64,
    /// Of a body that leaves: its contacts that bear a load in its last step.
    pub contacts: usize,
    /// Of a body that leaves: the sum of the lengths of their impulses (N s).
    pub impulse: f64,
}
