//! What a backend is given, and what it returns.

use signorini_kernels::types::{BodyState, BoxAxis, PairGeometry, PairKey, PairRows, PairState};

/// Smooth pairs with their bodies, at one pose.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// Bodies.
    pub bodies: Vec<BodyState<f64>>,
    /// Which bodies, and what kind of pair.
    pub keys: Vec<PairKey>,
    /// Pairs.
    pub pairs: Vec<PairState<f64>>,
    /// h (s).
    pub time_step: f64,
}

impl Batch {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.keys.clear();
        self.pairs.clear();
    }
}

/// What a backend returns per pair.
#[derive(Debug, Clone, Default)]
pub struct Evaluated {
    /// Closest points.
    pub geometry: Vec<PairGeometry<f64>>,
    /// Rows and stiffness.
    pub rows: Vec<PairRows<f64>>,
}

/// What is found about boxes.
#[derive(Debug, Clone, Default)]
pub struct BoxFeatures {
    /// Of every pair of boxes.
    pub axes: Vec<BoxAxis<f64>>,
    /// Heights of the corners of every box above its half-space (m).
    pub heights: Vec<[f64; 8]>,
}
