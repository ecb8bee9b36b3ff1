//! Outlets built in Rust.

use crate::scene::file::{OutletEntry, OutletRegionEntry};
use crate::scene::outlet::Outlet;

/// An outlet in the making: [`Outlet::below`] and its sisters begin one, and
/// [`SceneBuilder::outlet`](super::SceneBuilder::outlet) takes it.
#[derive(Debug, Clone)]
#[must_use]
pub struct OutletBuilder {
    pub(super) entry: OutletEntry,
}

/// Constructors: where the centre of mass of a body is that leaves.
impl Outlet {
    /// Below a height (m): z ≤ height.
    pub fn below(height: f64) -> OutletBuilder {
        OutletBuilder::new(OutletRegionEntry::Below { height })
    }

    /// Below a plane: normal · x ≤ offset (m), the normal of any length.
    pub fn half_space(normal: impl Into<[f64; 3]>, offset: f64) -> OutletBuilder {
        OutletBuilder::new(OutletRegionEntry::HalfSpace { normal: normal.into(), offset })
    }

    /// In a box along the world axes: lowest and highest corner (m).
    pub fn in_box(low: impl Into<[f64; 3]>, high: impl Into<[f64; 3]>) -> OutletBuilder {
        OutletBuilder::new(OutletRegionEntry::Box { min: low.into(), max: high.into() })
    }
}

impl OutletBuilder {
    fn new(region: OutletRegionEntry) -> Self {
        Self { entry: OutletEntry { name: String::new(), region } }
    }

    /// Unique name. Default: `outlet-0` and the like.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.entry.name = name.into();
        self
    }
}
