//! The record of a step that the referee judges.

use super::flight::Moved;
use super::image::is_possible;
use crate::step::{ContactRecord, JointRecord, Loads, Span, Substep};
use signorini_scene::scene::{Scene, State};
use std::borrow::Cow;

/// One step as a model or a file records it.
#[derive(Debug, Clone, Copy)]
pub struct RecordedStep<'a> {
    /// The scene; its `time_step` is that of the step.
    pub scene: &'a Scene,
    /// State at the start; None where it is not recorded. Then the end of the step is judged alone: contact
    /// law, joints and separation, but neither momentum nor energy.
    pub before: Option<&'a State>,
    /// State at the end.
    pub after: &'a State,
    /// Loads on the bodies over the step.
    pub loads: &'a Loads,
    /// Contacts, of every substep.
    pub contacts: &'a [ContactRecord],
    /// Joints, of every substep, in the order of the scene.
    pub joints: &'a [JointRecord],
    /// Substeps of the islands that were halved: by island, then in time.
    pub substeps: &'a [Substep],
}

impl RecordedStep<'_> {
    /// Whether every island was solved in one piece.
    pub(super) fn is_whole(&self) -> bool {
        let mut spans = self.contacts.iter().map(|c| c.span).chain(self.joints.iter().map(|j| j.span));
        self.substeps.is_empty() && spans.all(|span| span == Span::WHOLE)
    }

    /// State at the start. Where none is recorded: the state that leads to the end.
    pub(super) fn start(&self) -> Cow<'_, State> {
        match self.before {
            Some(before) => Cow::Borrowed(before),
            None => {
                let mut moved = Moved::default();
                moved.follow(self.scene, self.after);
                Cow::Owned(moved.start)
            }
        }
    }

    /// Whether contacts and joints are those of the scene: parts of two different bodies each, and one record
    /// for each joint.
    pub(super) fn is_consistent(&self) -> bool {
        self.has_consistent_contacts() && self.joints.iter().map(|j| j.joint).eq(0..self.scene.joints.len())
    }

    /// Whether contacts are of parts of two different bodies.
    pub(super) fn has_consistent_contacts(&self) -> bool {
        let has = |id: usize, part: usize| self.scene.bodies.get(id).is_some_and(|b| part < b.parts.len());
        let is_one = |c: &ContactRecord| {
            has(c.body_a, c.part_a)
                && has(c.body_b, c.part_b)
                && c.body_a != c.body_b
                && is_possible(self.scene, c.image)
        };
        self.contacts.iter().all(is_one)
    }
}
