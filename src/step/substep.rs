//! Parts of a step: the substeps of an island whose step was halved.

use signorini_geometry::{Pose, Velocity};

/// A part of a step, in fractions of its length h: halving gives dyadic fractions, which are exact in binary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Start of the span, 0 at the start of the step.
    pub start: f64,
    /// End of the span, 1 at the end of the step.
    pub end: f64,
}

impl Span {
    /// Span of the whole step.
    pub const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    /// Span of the impact phase at the end: no time passes in it.
    pub fn impact(&self) -> Self {
        Self { start: self.end, end: self.end }
    }

    /// Whether no time passes.
    pub fn is_impact(&self) -> bool {
        self.start == self.end
    }

    /// Length as a fraction of h.
    pub fn length(&self) -> f64 {
        self.end - self.start
    }

    /// Returns both halves, the earlier one first.
    pub fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.start + self.end);
        [Self { end: middle, ..*self }, Self { start: middle, ..*self }]
    }
}

/// Phase of a (sub)step that a record belongs to (theory §13).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepPhase {
    /// The only phase.
    #[default]
    Whole,
    /// The phase that led the bodies to the end. Its impulses do not count: those of the impact replace them.
    Position,
    /// The impact at the end, with the impulses of the whole (sub)step.
    Impact,
    /// The part of an impact by Poisson's law that stops the bodies, with the impulses of the whole
    /// (sub)step.
    Compression,
    /// The part that follows the compression: its impulses are added.
    Expansion,
}

impl StepPhase {
    /// Word of the phase in CSV.
    pub fn as_str(self) -> &'static str {
        match self {
            StepPhase::Whole => "step",
            StepPhase::Position => "position",
            StepPhase::Impact => "impact",
            StepPhase::Compression => "compression",
            StepPhase::Expansion => "expansion",
        }
    }

    /// Phases of an impact that was solved in so many.
    pub(crate) fn of_impact(count: usize) -> &'static [Self] {
        if count == 1 { &[Self::Impact] } else { &[Self::Compression, Self::Expansion] }
    }

    /// Phase of a word.
    pub fn of(word: &str) -> Option<Self> {
        let all = [Self::Whole, Self::Position, Self::Impact, Self::Compression, Self::Expansion];
        all.into_iter().find(|phase| phase.as_str() == word)
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

/// One substep of an island whose step was halved, at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Substep {
    /// Part of the step. The substeps of an island follow each other without a gap, from 0 to 1. Of two
    /// impacts at one instant the first is the compression, the other the expansion.
    pub span: Span,
    /// All moving bodies of the island, ascending, at the end of the substep.
    pub bodies: Vec<BodyState>,
}

/// Number of substeps of islands that were halved; an impact takes no time, and does not split a whole step
/// at whose end it is.
pub fn n_halved(substeps: &[Substep]) -> usize {
    substeps.iter().filter(|substep| !substep.span.is_impact() && substep.span != Span::WHOLE).count()
}

impl Substep {
    /// Smallest body, which identifies the island.
    ///
    /// # Panics
    /// When the substep has no body: an island has one at least.
    pub fn island(&self) -> usize {
        self.bodies[0].body
    }
}
