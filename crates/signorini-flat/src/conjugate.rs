//! Factor of the conjugate extrapolation: β = |Δx|²/|Δx_before|², and none where the changes grow (the
//! nonlinear nonsmooth conjugate gradient method of Silcowitz, Niebe and Erleben 2010).

use crate::parameters::MOST_EXTRAPOLATION;

/// Squares of the changes of the last sweep.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conjugate {
    last: Option<f64>,
    factor: f64,
}

impl Conjugate {
    /// β of the next sweep.
    pub fn factor(&self) -> f32 {
        self.factor as f32
    }

    /// Takes the square of the changes of a sweep.
    pub fn after(&mut self, square: f64) {
        let ratio = self.last.map(|last| if square > 0.0 { square / last } else { 0.0 });
        self.factor = ratio.filter(|ratio| *ratio <= 1.0).map_or(0.0, |ratio| ratio.min(MOST_EXTRAPOLATION));
        // Where the changes grow the direction starts anew: the sweep after the next one goes on.
        self.last = ratio.is_none_or(|ratio| ratio <= 1.0).then_some(square);
    }
}
