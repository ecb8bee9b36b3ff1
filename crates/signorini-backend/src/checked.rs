//! Two backends side by side: every batch is evaluated by both.

use super::differences::{Differences, compare};
use super::{
    Backend, Batch, DeviceIsland, DeviceLinearization, Evaluated, Fault, IslandData, Precision, Twin,
};
use signorini_kernels::device_flat::FlatOnDevice;
use signorini_kernels::device_pairs::{DevicePairs, Lost};
use signorini_kernels::types::{ContactDerivative, ContactLawState};
use signorini_ncp::linalg::BlockKrylov;
use std::sync::{Arc, Mutex};

/// A backend whose every result is compared with that of the f64 twin.
#[derive(Debug)]
pub struct Checked {
    checked: Arc<dyn Backend>,
    found: Arc<Mutex<Differences>>,
}

impl Checked {
    /// Makes a backend that checks another one.
    pub fn new(checked: Arc<dyn Backend>) -> Self {
        Self { checked, found: Arc::default() }
    }
}

impl Backend for Checked {
    fn name(&self) -> String {
        self.checked.name()
    }

    fn precision(&self) -> Precision {
        self.checked.precision()
    }

    fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        self.checked.krylov()
    }

    fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        let checked = self.checked.device_island()?;
        Some(Box::new(CheckedIsland::new(checked, Arc::clone(&self.found))))
    }

    /// The check of a solution judges the flat step in f64, on the CPU.
    fn flat(&self) -> Option<Arc<dyn FlatOnDevice>> {
        self.checked.flat()
    }

    fn flat_fault(&self) -> Option<Fault> {
        self.checked.flat_fault()
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        self.checked.evaluate(batch, out)?;
        let mut expected = Evaluated::default();
        Twin { precision: Precision::F64 }.evaluate(batch, &mut expected)?;
        let found = compare(batch, out, &expected);
        raise(&self.found, &found);
        Ok(())
    }

    fn differences(&self) -> Option<Differences> {
        Some(*self.found.lock().unwrap_or_else(|e| e.into_inner()))
    }
}

/// Pairs on a device whose rows are compared with those of the f64 twin whenever they are linearised.
#[derive(Debug)]
pub struct CheckedIsland {
    checked: Box<dyn DeviceIsland>,
    found: Arc<Mutex<Differences>>,
}

impl CheckedIsland {
    /// Makes an island that checks another one; differences go to `found`.
    pub fn new(checked: Box<dyn DeviceIsland>, found: Arc<Mutex<Differences>>) -> Self {
        Self { checked, found }
    }
}

impl DeviceIsland for CheckedIsland {
    fn linearize(
        &mut self,
        batch: &Batch,
        island: &IslandData,
        out: &mut DeviceLinearization,
    ) -> Result<(), Fault> {
        self.checked.linearize(batch, island, out)?;
        let (mut found, mut expected) = (Evaluated::default(), Evaluated::default());
        self.checked.fetch(&mut found)?;
        Twin { precision: Precision::F64 }.evaluate(batch, &mut expected)?;
        let differences = compare(batch, &found, &expected);
        raise(&self.found, &differences);
        Ok(())
    }

    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault> {
        self.checked.fetch(out)
    }

    fn fault(&self) -> Option<Fault> {
        self.checked.fault()
    }
}

impl DevicePairs for CheckedIsland {
    fn is_exact(&self) -> bool {
        self.checked.is_exact()
    }

    fn begin(&mut self, contacts: &[ContactLawState<f64>], rho: f64) -> Result<(), Lost> {
        self.checked.begin(contacts, rho)
    }

    fn project(
        &mut self,
        w: &[f64],
        force: &mut [f64],
        derivatives: &mut Vec<ContactDerivative<f64>>,
    ) -> Result<(), Lost> {
        self.checked.project(w, force, derivatives)
    }

    fn slip(&mut self, w: &[f64], out: &mut Vec<[f64; 4]>) -> Result<(), Lost> {
        self.checked.slip(w, out)
    }

    fn push(&mut self, derivatives: &[ContactDerivative<f64>], force: &mut [f64]) -> Result<(), Lost> {
        self.checked.push(derivatives, force)
    }

    fn assemble(&mut self, derivatives: Option<&[ContactDerivative<f64>]>, length: f64) -> Result<(), Lost> {
        self.checked.assemble(derivatives, length)
    }

    fn blocks(&mut self, values: &mut Vec<f64>) -> Result<(), Lost> {
        self.checked.blocks(values)
    }

    fn solve(
        &mut self,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        most: usize,
    ) -> Result<Option<usize>, Lost> {
        self.checked.solve(b, x, tolerance, most)
    }
}

fn raise(largest: &Mutex<Differences>, found: &Differences) {
    let mut largest = largest.lock().unwrap_or_else(|e| e.into_inner());
    *largest = largest.largest(found);
}
