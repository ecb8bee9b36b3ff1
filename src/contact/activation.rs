//! Whether a contact point may exert an impulse, and how closely that is checked.

/// What a contact point may do at the pose where it was last evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Activation {
    /// It may exert an impulse.
    #[default]
    Active,
    /// It exerts nothing at this pose: the bodies are further apart along another axis, or it has no place.
    Idle,
    /// It exerts nothing until it is readmitted; whether it would be idle then.
    Excluded {
        /// Idle but for the exclusion.
        is_idle: bool,
    },
}

impl Activation {
    /// Whether the contact point may exert an impulse.
    pub fn exerts(self) -> bool {
        self == Activation::Active
    }

    /// Whether it is idle, excluded or not.
    pub fn is_idle(self) -> bool {
        matches!(self, Activation::Idle | Activation::Excluded { is_idle: true })
    }

    /// The same, idle or not.
    pub fn with_idle(self, is_idle: bool) -> Self {
        match (self, is_idle) {
            (Activation::Excluded { .. }, _) => Activation::Excluded { is_idle },
            (_, true) => Activation::Idle,
            (_, false) => Activation::Active,
        }
    }

    /// The same, excluded.
    pub fn excluded(self) -> Self {
        Activation::Excluded { is_idle: self.is_idle() }
    }

    /// The same, no longer excluded.
    pub fn readmitted(self) -> Self {
        if self.is_idle() { Activation::Idle } else { Activation::Active }
    }
}

/// The exclusions of a contact point within a step.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Exclusions {
    /// How many.
    pub count: usize,
    /// Whether one of them was for its normal.
    pub by_normal: bool,
}

/// How closely contact points that bear are checked. An iterate far from a solution says little about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CheckLevel {
    /// Not at all; points that were excluded for their normal are readmitted.
    #[default]
    None,
    /// Points that do not support both bodies are excluded.
    Support,
    /// So are points whose normal is not that of the separating axis, and points whose plane cuts a body.
    Alignment,
}
