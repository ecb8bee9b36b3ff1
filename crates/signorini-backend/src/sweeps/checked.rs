//! Sweeps whose first result is compared with that of the f64 twins.
//!
//! Only the first result is compared: later ones start from results that differ by rounding, and whether an
//! extrapolation goes on is a comparison that rounding may change.

use super::TwinSweeps;
use crate::Differences;
use signorini_kernels::device_sweeps::{DeviceSweeps, Lost, SweepsOnDevice, SweptRows, SweptState};
use signorini_kernels::math::larger;
use std::sync::{Arc, Mutex};

/// A device that sweeps, with a check.
#[derive(Debug)]
pub struct CheckedSweeps {
    checked: Arc<dyn SweepsOnDevice>,
    found: Arc<Mutex<Differences>>,
}

impl CheckedSweeps {
    /// Makes a check of a device; differences go to `found`.
    pub fn new(checked: Arc<dyn SweepsOnDevice>, found: Arc<Mutex<Differences>>) -> Self {
        Self { checked, found }
    }
}

impl SweepsOnDevice for CheckedSweeps {
    fn fewest(&self) -> usize {
        self.checked.fewest()
    }

    fn rounding(&self) -> f64 {
        self.checked.rounding()
    }

    fn start(self: Arc<Self>, rows: &SweptRows<'_>) -> Result<Box<dyn DeviceSweeps>, Lost> {
        let checked = Arc::clone(&self.checked).start(rows)?;
        let twin = Some(TwinSweeps::new(rows, 1.0));
        let sizes = [rows.x.len(), rows.w.len(), rows.load_fraction.len()];
        Ok(Box::new(MirroredSweeps { checked, twin, sizes, found: Arc::clone(&self.found) }))
    }
}

/// Rows on a device, and in the twins until they were swept.
#[derive(Debug)]
struct MirroredSweeps {
    checked: Box<dyn DeviceSweeps>,
    twin: Option<TwinSweeps<f64>>,
    /// Numbers of impulses, motions and load fractions.
    sizes: [usize; 3],
    found: Arc<Mutex<Differences>>,
}

impl MirroredSweeps {
    fn compare(&mut self, mut twin: TwinSweeps<f64>, n: usize) -> Result<(), Lost> {
        twin.sweep(n)?;
        let fetch = |sweeps: &mut dyn DeviceSweeps| {
            let [mut x, mut w, mut offset, mut excess] =
                [self.sizes[0], self.sizes[1], self.sizes[0], self.sizes[2]].map(|n| vec![0.0; n]);
            let out = SweptState { x: &mut x, w: &mut w, offset: &mut offset, excess: &mut excess };
            sweeps.fetch(out).map(|()| [x, w])
        };
        let (found, expected) = (fetch(&mut *self.checked)?, fetch(&mut twin)?);
        let apart = |(found, expected): (&Vec<f64>, &Vec<f64>)| {
            let size = expected.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
            found.iter().zip(expected).map(|(f, e)| (f - e).abs() / size).fold(0.0, larger)
        };
        // Impulses and motions are compared: load fractions of a very small load carry no information.
        let sweep = found.iter().zip(&expected).map(apart).fold(0.0, larger);
        let mut largest = self.found.lock().unwrap_or_else(|e| e.into_inner());
        *largest = largest.largest(&Differences { sweep, ..Default::default() });
        Ok(())
    }
}

impl DeviceSweeps for MirroredSweeps {
    fn sweep(&mut self, n: usize) -> Result<f64, Lost> {
        let residual = self.checked.sweep(n)?;
        if let Some(twin) = self.twin.take() {
            self.compare(twin, n)?;
        }
        Ok(residual)
    }

    fn fetch(&mut self, out: SweptState<'_>) -> Result<(), Lost> {
        self.checked.fetch(out)
    }

    fn renew(&mut self, rows: &SweptRows<'_>) -> Result<(), Lost> {
        self.checked.renew(rows)
    }
}
