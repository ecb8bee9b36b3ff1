//! Where the mortar of an island is in its problem.

/// The cone of mortar in a problem.
#[derive(Debug, Clone, Copy)]
pub(in crate::stepper) struct MortarCone {
    /// Its index.
    pub cone: usize,
    /// Its normal row.
    pub row: usize,
    /// Impulse h c A/μ (N s) by which the unknown of that row is more than the normal impulse; None where
    /// the mortar is broken.
    pub apex: Option<f64>,
}
