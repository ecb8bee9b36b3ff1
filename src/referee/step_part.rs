//! The phases of a step with an impact, and the records of each.

use crate::step::{ContactRecord, JointRecord, StepPhase};

/// A phase of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepPart {
    /// Motion to the end of the step.
    Position,
    /// The impact at the end, or its compression.
    First,
    /// The expansion.
    Expansion,
}

impl StepPart {
    /// All phases in their order.
    pub const ALL: [Self; 3] = [Self::Position, Self::First, Self::Expansion];

    /// Whether a contact was recorded in the phase.
    pub fn has_contact(self, contact: &ContactRecord) -> bool {
        self == match contact.phase {
            StepPhase::Whole | StepPhase::Position => Self::Position,
            StepPhase::Impact | StepPhase::Compression => Self::First,
            StepPhase::Expansion => Self::Expansion,
        }
    }

    /// Whether the joint record at a place was made in the phase: of two at one instant the later one belongs
    /// to the expansion.
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
