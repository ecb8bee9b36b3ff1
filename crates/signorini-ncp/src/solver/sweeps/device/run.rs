//! A run of sweeps on a device.

use super::colouring::Colouring;
use super::lagged::Lagged;
use super::rows::DeviceRows;
use crate::problem::ContactProblem;
use crate::solver::iterate::Iterate;
use crate::solver::options::SolveOptions;
use crate::solver::parameters::sweeps::{DEVICE_MAX_COLOURS, DEVICE_ROUNDING_MARGIN};
use crate::solver::sweeps::rounds::{SweepLimits, Sweeping, Swept, iterate};
use crate::solver::sweeps::rows::Start;
use rayon::prelude::*;
use signorini_kernels::device_sweeps::{DeviceSweeps, Lost, SweepsOnDevice};
use signorini_kernels::sweep_batch::{
    BATCH, BATCH_NORMAL, BATCH_ROW, ENTRIES, LAW_UNIT, LAWS, Twelve, WIDTH, bodies,
};
use std::sync::Arc;

/// A device that sweeps, with what is laid out for it.
#[derive(Debug, Default)]
pub(in crate::solver::sweeps) struct OnDevice {
    pub device: Option<Arc<dyn SweepsOnDevice>>,
    colouring: Colouring,
    rows: DeviceRows,
    lagged: Lagged,
}

impl OnDevice {
    /// Colours of the last problem that was swept.
    pub fn n_colours(&self) -> usize {
        self.colouring.colours.len()
    }

    /// Sweeps over a problem on the device, like [`crate::solver::sweeps::Sweeps::run`]. None where there is
    /// none, it does not pay, its rounding does not let it reach the target, or it was lost.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        start: Start<'_>,
        limits: SweepLimits,
        options: &SolveOptions,
        next: &mut Iterate,
    ) -> Option<Swept> {
        let device = self.device.as_ref().filter(|device| problem.cones.len() >= device.fewest())?;
        let device = Arc::clone(device);
        // One friction row alone is no law of the kernels, nor do they know heavier masses.
        if limits.damps || problem.cones.iter().any(|cone| !cone.bounded && cone.n_friction == 1) {
            return None;
        }
        self.colouring.arrange(problem);
        if self.colouring.colours.len() > DEVICE_MAX_COLOURS {
            return None;
        }
        self.rows.fill(problem, &self.colouring, start);
        if DEVICE_ROUNDING_MARGIN * device.rounding() * sizes(&self.rows) > limits.residual {
            return None;
        }
        let swept = self.sweep(device, problem, limits, options).ok()?;
        next.velocity.resize(problem.at.velocity.len(), 0.0);
        next.impulse.resize(problem.n_rows(), 0.0);
        self.rows.store(problem, &self.colouring, &mut next.velocity, &mut next.impulse);
        Some(swept)
    }

    fn sweep(
        &mut self,
        device: Arc<dyn SweepsOnDevice>,
        problem: &ContactProblem,
        limits: SweepLimits,
        options: &SolveOptions,
    ) -> Result<Swept, Lost> {
        self.lagged.start(problem);
        let sweeps = device.start(&self.rows.swept(&self.colouring))?;
        let mut running = Running { sweeps, at: self, problem };
        let swept = iterate(&mut running, limits, options)?;
        running.sweeps.fetch(running.at.rows.state())?;
        Ok(swept)
    }
}

/// Rows on a device in the course of a run.
struct Running<'a> {
    sweeps: Box<dyn DeviceSweeps>,
    at: &'a mut OnDevice,
    problem: &'a ContactProblem,
}

impl Sweeping for Running<'_> {
    fn block(&mut self, n: usize) -> Result<f64, Lost> {
        self.sweeps.sweep(n)
    }

    fn update(&mut self) -> Result<f64, Lost> {
        let OnDevice { rows, colouring, lagged, .. } = &mut *self.at;
        self.sweeps.fetch(rows.state())?;
        let change = lagged.update(self.problem, colouring, rows);
        self.sweeps.renew(&rows.swept(colouring))?;
        Ok(change.max(self.sweeps.sweep(0)?))
    }

    fn move_with_load(&self) -> bool {
        !self.at.rows.numbers.shift_offset.is_empty()
    }
}

/// The largest of what a natural map is a difference of, in its unit: an impulse, or r times the terms of a
/// slip.
fn sizes(rows: &DeviceRows) -> f64 {
    let numbers = &rows.numbers;
    let of_batch = |(k, words): (usize, &[u32; BATCH])| {
        let mut largest = 0.0_f64;
        for lane in 0..WIDTH {
            let unit = numbers.laws[WIDTH * (LAWS * k + LAW_UNIT) + lane];
            let moves = Twelve::motions(&rows.w, 0, bodies(words, lane)).0;
            let first = words[BATCH_ROW] as usize;
            for row in first..first + words[BATCH_NORMAL] as usize {
                let along = Twelve::row(&numbers.rows, ENTRIES, row, lane).0;
                let terms = along.as_flattened().iter().zip(moves.as_flattened()).map(|(j, w)| (j * w).abs());
                let at = WIDTH * row + lane;
                let step = numbers.weight[at] * (terms.sum::<f64>() + numbers.offset[at].abs());
                largest = largest.max(unit * step.max(numbers.x[at].abs()));
            }
        }
        largest
    };
    rows.batches.par_iter().enumerate().map(of_batch).reduce(|| 0.0, f64::max)
}
