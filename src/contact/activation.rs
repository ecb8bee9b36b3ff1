//! Activation of a contact point: whether it may exert an impulse, and how closely that is checked.

/// Activation of a contact point at the pose where it was last evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Activation {
    /// The contact point may exert an impulse.
    #[default]
    Active,
    /// The contact point exerts nothing at this pose: the bodies are further apart along another axis, or its
    /// features do not meet.
    Idle,
    /// The contact point exerts nothing until it is readmitted.
    Excluded {
        /// Whether the contact point would be idle without the exclusion.
        is_idle: bool,
    },
}

impl Activation {
    /// Whether the contact point may exert an impulse.
    pub fn exerts(self) -> bool {
        self == Activation::Active
    }

    /// Whether the contact point is idle, excluded or not.
    pub fn is_idle(self) -> bool {
        matches!(self, Activation::Idle | Activation::Excluded { is_idle: true })
    }

    /// Activation with the idle flag set or cleared; an exclusion stays.
    pub fn with_idle(self, is_idle: bool) -> Self {
        match (self, is_idle) {
            (Activation::Excluded { .. }, _) => Activation::Excluded { is_idle },
            (_, true) => Activation::Idle,
            (_, false) => Activation::Active,
        }
    }

    /// Activation after an exclusion; the idle flag stays.
    pub fn excluded(self) -> Self {
        Activation::Excluded { is_idle: self.is_idle() }
    }

    /// Activation after a readmission; the idle flag stays.
    pub fn readmitted(self) -> Self {
        if self.is_idle() { Activation::Idle } else { Activation::Active }
    }
}

/// The exclusions of a contact point within a step.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Exclusions {
    /// Number of exclusions.
    pub count: usize,
    /// Whether one of the exclusions was for the normal.
    pub by_normal: bool,
}

/// Level to which loaded contact points are checked. An iterate far from a solution says little about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CheckLevel {
    /// No checks; points that were excluded for their normal are readmitted.
    #[default]
    None,
    /// Points that do not support both bodies are excluded.
    Support,
    /// Points are excluded as under `Support`, and if their normal is not that of the separating axis or
    /// their plane cuts a body.
    Alignment,
}
