//! Whether a record says of a contact or a joint what the states of the step say, also where no law asks:
//! normals and points of open pairs, words, slip, errors and coordinates. Only audits ask for this.

mod contact;
mod joint;
mod torsion;
mod touch;

use super::contact_law::ContactFinding;
use super::judged_step::JudgedStep;
use crate::step::{ContactRecord, JointRecord};

/// Something that a record says and the states do not bear out.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFault {
    /// Which record.
    pub of: Recorded,
    /// Column, value and what was found.
    pub what: String,
}

impl RecordFault {
    /// The same of a record whose place among all contacts or joints is listed.
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

/// Checks the contacts of a step, with what was found of them, and its joints.
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
