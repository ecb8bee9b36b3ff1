//! Records of an island whose step was halved.

use crate::step::{ContactRecord, JointRecord, Substep};

/// Records of an island whose step was halved; empty otherwise.
#[derive(Debug, Default)]
pub struct Halved {
    /// Substeps in order of time.
    pub substeps: Vec<Substep>,
    /// Contact records of all substeps.
    pub contacts: Vec<ContactRecord>,
    /// Joint records of all substeps.
    pub joints: Vec<JointRecord>,
}

impl Halved {
    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.substeps.clear();
        self.contacts.clear();
        self.joints.clear();
    }
}
