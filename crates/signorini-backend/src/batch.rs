//! Input and results of a backend.

use signorini_kernels::types::{BodyState, PairGeometry, PairKey, PairRows, PairState};

/// Smooth pairs with their bodies, at one pose.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// States of the parts of bodies.
    pub bodies: Vec<BodyState<f64>>,
    /// Bodies and kind of each pair.
    pub keys: Vec<PairKey>,
    /// States of the pairs.
    pub pairs: Vec<PairState<f64>>,
    /// Time step h (s).
    pub time_step: f64,
}

impl Batch {
    /// Removes all items, and keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.keys.clear();
        self.pairs.clear();
    }
}

/// Results of a backend, one per pair.
#[derive(Debug, Clone, Default)]
pub struct Evaluated {
    /// Closest points of each pair.
    pub geometry: Vec<PairGeometry<f64>>,
    /// Rows and stiffness of each pair.
    pub rows: Vec<PairRows<f64>>,
}
