//! Where the mortar of an island is in its problem.

/// The cone of mortar in a problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::stepper) struct MortarCone {
    /// Its index.
    pub cone: usize,
    /// Its normal row.
    pub row: usize,
    /// Place of its joint among those of the island.
    pub link: usize,
    /// Impulse h c A/μ (N s) by which the unknown of that row is more than the normal impulse; None where
    /// the mortar is broken.
    pub apex: Option<f64>,
}

impl MortarCone {
    /// Impulses of the rows x of mortar, as they act on the bodies.
    pub fn acting(&self, x: &[f64]) -> [f64; 4] {
        [x[0] - self.apex.unwrap_or(0.0), x[1], x[2], x[3]]
    }
}
