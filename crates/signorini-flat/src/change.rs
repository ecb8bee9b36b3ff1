//! Changes of impulses over a pass.

/// Sums over a sweep or a turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change {
    /// Σ |Δx|² (N² s²).
    pub square: f64,
    /// Largest change of an impulse in the unit of its contact.
    pub largest: f64,
    /// Largest change of Jᵀx by the geometry in the unit of its contact; turns only.
    pub moved: f64,
}

impl Change {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            square: self.square + other.square,
            largest: larger(self.largest, other.largest),
            moved: larger(self.moved, other.moved),
        }
    }
}

/// The larger one; what is no number counts as larger than all.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b <= a { a } else { b }
}

/// The smaller one; NaN where one of them is.
pub fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}
