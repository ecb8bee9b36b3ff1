//! How sweeps and turns change impulses: along the direction of their last change, drawn to a centre.

use crate::numbers::{Eight, Four, Number};
use crate::parameters::PROXIMAL;
use crate::simd::Simd;

/// How a sweep is made.
#[derive(Debug, Clone, Copy)]
pub struct SweepBy {
    /// β of the extrapolation.
    pub extrapolation: f32,
    /// Whether the proximal term is used.
    pub proximal: bool,
    /// Whether the proximal term takes the impulses as its new centre first.
    pub recentre: bool,
}

impl SweepBy {
    /// Draws impulses to the centre of their proximal term: (x + e z)/(1 + e).
    #[inline(always)]
    pub fn prox8<S: Simd>(&self, x: Eight<S>, z: Eight<S>) -> Eight<S> {
        if !self.proximal {
            return x;
        }
        Eight::all(x.0, PROXIMAL).mul_add(z, x) * Eight::all(x.0, 1.0 / (1.0 + PROXIMAL))
    }

    /// Draws impulses in double precision to the centre of their proximal term.
    #[inline(always)]
    pub fn prox4<S: Simd>(&self, x: Four<S>, z: Four<S>) -> Four<S> {
        if !self.proximal {
            return x;
        }
        let e = f64::from(PROXIMAL);
        Four::all(x.0, e).mul_add(z, x) * Four::all(x.0, 1.0 / (1.0 + e))
    }
}
