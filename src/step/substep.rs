//! Parts of a step: the substeps of an island whose step was halved.

use crate::geometry::{Pose, Velocity};

/// A part of a step, in fractions of its length h: halving gives dyadic fractions, which are exact in binary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Where it begins, 0 at the start of the step.
    pub start: f64,
    /// Where it ends, 1 at the end of the step.
    pub end: f64,
}

impl Span {
    /// The step itself.
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    /// Its length as a fraction of h.
    pub fn length(&self) -> f64 {
        self.end - self.start
    }

    /// Both halves, the earlier one first.
    pub fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.start + self.end);
        [Self { end: middle, ..*self }, Self { start: middle, ..*self }]
    }
}

/// Pose and velocity of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Body id.
    pub body: usize,
    /// Pose, world.
    pub pose: Pose,
    /// Velocity, world.
    pub velocity: Velocity,
}

/// One substep of an island whose step was halved, as it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Substep {
    /// Which part of the step. The substeps of an island follow each other without a hole, from 0 to 1.
    pub span: Span,
    /// All moving bodies of the island, ascending, at the end of the substep.
    pub bodies: Vec<BodyState>,
}

impl Substep {
    /// The smallest body: it stands for the island.
    ///
    /// # Panics
    /// When there is no body: an island has one at least.
    pub fn island(&self) -> usize {
        self.bodies[0].body
    }
}
