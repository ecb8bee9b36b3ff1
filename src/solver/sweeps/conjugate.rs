//! Extrapolation of sweeps: nonlinear conjugate gradients whose residual is what a sweep changed (Silcowitz,
//! Niebe & Erleben 2010): x += β p, p := β p + Δx, β = |Δx|²/|Δx before|². It starts again when β > 1.

use crate::solver::sweeps::lanes::{Lanes, Motion, WIDTH};
use crate::solver::sweeps::rows::Rows;

/// The search direction, of impulses and of the velocities that go with them.
#[derive(Debug, Default)]
pub(super) struct Conjugate {
    /// |Δx|² of the last sweep.
    square: f64,
    has_direction: bool,
    /// β, where the next sweep begins with an extrapolation.
    step: Option<f64>,
    pub direction: Vec<Lanes>,
    pub direction_w: Vec<Motion>,
    /// What the last sweep changed; during a sweep, what it started from.
    pub change: Vec<Lanes>,
    pub change_w: Vec<Motion>,
}

impl Conjugate {
    /// Begins with rows and bodies that were not swept yet.
    pub fn start(&mut self, n_rows: usize, n_bodies: usize) {
        (self.has_direction, self.step) = (false, None);
        for lanes in [&mut self.direction, &mut self.change] {
            lanes.clear();
            lanes.resize(n_rows, [0.0; WIDTH]);
        }
        for motions in [&mut self.direction_w, &mut self.change_w] {
            motions.clear();
            motions.resize(n_bodies, [0.0; 8]);
        }
    }

    /// Extrapolates from the last sweep and sweeps. What it leaves is the result of a sweep and obeys the
    /// bounds of the law.
    #[inline(always)]
    pub fn sweep(&mut self, rows: &mut Rows) {
        if let Some(step) = self.step {
            extrapolate(&mut rows.x, &mut self.direction, &self.change, step);
            extrapolate(&mut rows.w, &mut self.direction_w, &self.change_w, step);
        }
        self.change.clone_from(&rows.x);
        self.change_w.clone_from(&rows.w);
        rows.sweep();
        subtract_from(&rows.x, &mut self.change);
        subtract_from(&rows.w, &mut self.change_w);
        let mut squares = [0.0; WIDTH];
        for change in &self.change {
            for lane in 0..WIDTH {
                squares[lane] += change[lane] * change[lane];
            }
        }
        let square: f64 = squares.iter().sum();
        if self.has_direction {
            let beta = if square > 0.0 { square / self.square } else { 0.0 };
            self.has_direction = beta <= 1.0;
            self.step = self.has_direction.then_some(beta);
        } else {
            self.direction.clone_from(&self.change);
            self.direction_w.clone_from(&self.change_w);
            self.has_direction = true;
            self.step = None;
        }
        self.square = square;
    }
}

/// x += β p, then p := β p + Δx.
#[inline(always)]
fn extrapolate<const N: usize>(
    x: &mut [[f64; N]],
    direction: &mut [[f64; N]],
    change: &[[f64; N]],
    step: f64,
) {
    for ((x, direction), change) in x.iter_mut().zip(direction).zip(change) {
        for lane in 0..N {
            let along = step * direction[lane];
            x[lane] += along;
            direction[lane] = along + change[lane];
        }
    }
}

#[inline(always)]
fn subtract_from<const N: usize>(after: &[[f64; N]], before: &mut [[f64; N]]) {
    for (before, after) in before.iter_mut().zip(after) {
        for lane in 0..N {
            before[lane] = after[lane] - before[lane];
        }
    }
}
