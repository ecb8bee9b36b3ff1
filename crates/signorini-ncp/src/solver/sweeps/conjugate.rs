//! Extrapolation of sweeps: nonlinear conjugate gradients whose residual is what a sweep changed (Silcowitz,
//! Niebe & Erleben 2010): x += β p, p := β p + Δx, β = |Δx|²/|Δx before|². It starts again when β > 1.

/// How far the next sweep extrapolates.
#[derive(Debug, Default)]
pub(super) struct Conjugate {
    /// |Δx|² of the last sweep.
    square: f64,
    has_direction: bool,
    step: f64,
}

impl Conjugate {
    /// Begins with impulses that were not swept yet.
    pub fn start(&mut self) {
        *self = Self::default();
    }

    /// β of the next sweep; 0 where it does not extrapolate: p is the last Δx then.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// After a sweep with this |Δx|².
    pub fn swept(&mut self, square: f64) {
        self.step = 0.0;
        if self.has_direction {
            let beta = if square > 0.0 { square / self.square } else { 0.0 };
            self.has_direction = beta <= 1.0;
            if self.has_direction {
                self.step = beta;
            }
        } else {
            self.has_direction = true;
        }
        self.square = square;
    }
}
