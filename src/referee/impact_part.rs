//! The phases of a step in which something struck, and which records are of which.

use crate::step::{ContactRecord, JointRecord, StepPhase};

/// A phase of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// The way to the end.
    Position,
    /// The impact there, or its compression.
    First,
    /// The expansion.
    Expansion,
}

impl Part {
    /// In their order.
    pub const ALL: [Self; 3] = [Self::Position, Self::First, Self::Expansion];

    /// Whether a contact was recorded in it.
    pub fn has_contact(self, contact: &ContactRecord) -> bool {
        self == match contact.phase {
            StepPhase::Whole | StepPhase::Position => Self::Position,
            StepPhase::Impact | StepPhase::Compression => Self::First,
            StepPhase::Expansion => Self::Expansion,
        }
    }

    /// Whether the joint record at a place was made in it: of two at one instant the later one is of the
    /// expansion.
    pub fn has_joint(self, joints: &[JointRecord], at: usize) -> bool {
        let same = |other: &JointRecord| (other.joint, other.span) == (joints[at].joint, joints[at].span);
        let is_second = at > 0 && same(&joints[at - 1]);
        self == match (joints[at].span.is_impact(), is_second) {
            (false, _) => Self::Position,
            (true, false) => Self::First,
            (true, true) => Self::Expansion,
        }
    }
}
