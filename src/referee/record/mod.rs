//! Check whether the record of a contact or a joint agrees with the states of the step, also where no law
//! applies: normals and points of open pairs, words, slip, errors and coordinates. Only audits need this.

mod contact;
mod joint;
mod torsion;
mod touch;

use super::contact_law::ContactFinding;
use super::judged_step::JudgedStep;
use crate::step::{ContactRecord, JointRecord};

/// Part of a record that the states contradict.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFault {
    /// Record with the fault.
    pub of: Recorded,
    /// Column, value and finding.
    pub what: String,
}

impl RecordFault {
    /// The fault with the place of its record among all contacts or joints, which are listed.
    pub fn placed(self, contacts: &[usize], joints: &[usize]) -> Self {
        let of = match self.of {
            Recorded::Contact(i) => Recorded::Contact(contacts[i]),
            Recorded::Joint(i) => Recorded::Joint(joints[i]),
        };
        Self { of, ..self }
    }
}

/// A record of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// Index of a contact of the record.
    Contact(usize),
    /// Index of a joint of the record.
    Joint(usize),
}

/// Checks the contacts of a step, with the findings on them, and its joints.
pub fn check<'a>(
    step: &JudgedStep<'_>,
    contacts: impl Iterator<Item = (&'a ContactRecord, &'a ContactFinding)>,
    joints: &[JointRecord],
    faults: &mut Vec<RecordFault>,
) {
    let mut found = Vec::new();
    for (i, (contact, finding)) in contacts.enumerate() {
        contact::check_contact(contact, finding, step, &mut found);
        faults.extend(found.drain(..).map(|what| RecordFault { of: Recorded::Contact(i), what }));
    }
    for (i, joint) in joints.iter().enumerate() {
        joint::check_joint(joint, step, &mut found);
        faults.extend(found.drain(..).map(|what| RecordFault { of: Recorded::Joint(i), what }));
    }
}
