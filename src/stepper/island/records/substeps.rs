//! Records of an island whose step was made in substeps, or in the phases of an impact.

use crate::step::{ContactRecord, JointRecord, Substep};

/// Records of the substeps and impact phases of an island; empty after a step in one piece without impact.
#[derive(Debug, Default)]
pub struct SubstepRecords {
    /// Substeps in order of time.
    pub substeps: Vec<Substep>,
    /// Contact records of all substeps.
    pub contacts: Vec<ContactRecord>,
    /// Joint records of all substeps.
    pub joints: Vec<JointRecord>,
}

impl SubstepRecords {
    /// Whether neither a substep nor an impact phase is recorded.
    pub fn is_empty(&self) -> bool {
        self.substeps.is_empty()
    }

    /// Removes the records of the last step.
    pub fn clear(&mut self) {
        self.substeps.clear();
        self.contacts.clear();
        self.joints.clear();
    }
}
