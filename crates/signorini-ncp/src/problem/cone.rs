//! The place of one contact among the rows of a problem.

/// One contact's place among the rows and its law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// First row; normal rows come first, then friction rows.
    pub row: usize,
    /// Normal rows, one for each contact point, ≥ 1.
    pub n_normal: usize,
    /// The first of them that are in use; those of the others, and their shift rows, are zero and left out of
    /// all work.
    pub n_used: usize,
    /// Friction rows (tangents and torsion), scaled so that the friction ellipsoid is a ball: 0, 2 or 3.
    pub n_friction: usize,
    /// Friction coefficient μ ≥ 0.
    pub friction_coefficient: f64,
    /// Whether the rows obey the interval law with [`bounds`](crate::problem::ContactProblem::bounds) instead
    /// of that of contacts.
    pub bounded: bool,
    /// The rows are the couple of rolling resistance of the contact with this index, which comes before:
    /// friction rows, bounded by [`Self::friction_coefficient`] times the sum of its normal impulses.
    pub rolls_with: Option<usize>,
}

impl Cone {
    /// Rows of the contact: normal, friction, shift.
    pub fn n_rows(&self) -> usize {
        self.n_law_rows() + self.n_shift()
    }

    /// Normal and friction rows: those that the contact law concerns.
    pub fn n_law_rows(&self) -> usize {
        self.n_normal + self.n_friction
    }

    /// Tangential friction rows, which move with the equivalent contact point (torsion does not).
    pub fn n_tangential(&self) -> usize {
        self.n_friction.min(2)
    }

    /// Shift rows: the tangential rows of every contact point, for contacts with several.
    pub fn n_shift(&self) -> usize {
        if self.n_normal > 1 && !self.bounded { self.n_normal * self.n_tangential() } else { 0 }
    }

    /// Normal rows in use.
    pub fn normal(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.n_used
    }

    /// All normal rows.
    pub fn reserved(&self) -> std::ops::Range<usize> {
        self.row..self.row + self.n_normal
    }

    /// Friction rows.
    pub fn friction(&self) -> std::ops::Range<usize> {
        self.row + self.n_normal..self.row + self.n_law_rows()
    }

    /// Shift rows in use, contact point by contact point.
    pub fn shift(&self) -> std::ops::Range<usize> {
        let n = if self.n_shift() > 0 { self.n_used * self.n_tangential() } else { 0 };
        self.row + self.n_law_rows()..self.row + self.n_law_rows() + n
    }

    /// Rows in use, counted from the first of the contact: normal ones; friction and shift rows.
    pub fn used(&self) -> [std::ops::Range<usize>; 2] {
        [0..self.n_used, self.n_normal..self.shift().end - self.row]
    }
}
