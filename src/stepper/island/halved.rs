//! What an island that was halved leaves behind.

use crate::step::{ContactRecord, JointRecord, Substep};

/// What an island that was halved leaves behind; empty otherwise.
#[derive(Debug, Default)]
pub struct Halved {
    /// The substeps, in time.
    pub substeps: Vec<Substep>,
    /// The contacts of all substeps.
    pub contacts: Vec<ContactRecord>,
    /// The joints of all substeps.
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
