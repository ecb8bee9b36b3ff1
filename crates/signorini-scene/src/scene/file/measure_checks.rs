//! Names and facts that measures may refer to, and checks that several of them share.

use super::report::Check;
use crate::scene::measure::is_named;
use nalgebra::Vector3;

/// Most cells of a grid.
const MAX_CELLS: usize = 100_000;

/// Names and facts of a scene that its quantities may refer to.
pub struct Known<'a> {
    /// Names of the bodies, sorted.
    pub names: Vec<&'a str>,
    /// Names that bodies of the inlets would have.
    pub coming: Vec<String>,
    /// Gravity (m/s²).
    pub gravity: Vector3<f64>,
    /// Whether bodies can leave.
    pub has_outlets: bool,
}

impl Known<'_> {
    /// Whether a body has a name, or may come by it.
    pub fn has(&self, pattern: &str) -> bool {
        let coming = self.coming.iter().map(String::as_str);
        self.names.iter().copied().chain(coming).any(|name| is_named(name, pattern))
    }
}

/// A fault where nothing falls.
pub fn check_gravity(kind: &str, why: &str, known: &Known<'_>, check: &mut Check) {
    if known.gravity == Vector3::zeros() {
        check.fault("quantity.type", format!("{kind:?}"), why);
    }
}

/// A fault where a grid has no cells, or too many.
pub fn check_cells(n: [usize; 3], check: &mut Check) {
    let total = n.iter().try_fold(1_usize, |all, n| all.checked_mul(*n));
    if !total.is_some_and(|total| (1..=MAX_CELLS).contains(&total)) {
        let allowed = format!("must be at least 1 along each axis, and {MAX_CELLS} in all at most");
        check.fault("quantity.cells", format!("{n:?}"), allowed);
    }
}
