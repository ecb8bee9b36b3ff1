//! Smooth pairs that stay on a device from one refresh to the next.

use super::checked::{Differences, compare};
use super::{Backend, Batch, Evaluated, Fault, Precision, Twin};
use crate::kernels::frozen_pairs::{FrozenPairs, Lost};
use crate::kernels::types::{ContactGain, ContactLawState, PairGeometry};
use std::sync::{Arc, Mutex};

/// What is known of the bodies and contacts of a batch beside their poses. The moving bodies come first in the batch.
#[derive(Debug, Clone, Default)]
pub struct Island {
    /// Moving bodies.
    pub n_moving: usize,
    /// [`crate::kernels::body_momentum::BODY`] numbers of each: A less body terms, A v_k − b, and zeros.
    pub bodies: Vec<f64>,
    /// A⁻¹ of each, 36 numbers by rows.
    pub inverse: Vec<f64>,
    /// x and μ of each contact; the rest is not looked at.
    pub contacts: Vec<ContactLawState<f64>>,
}

impl Island {
    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.n_moving = 0;
        self.bodies.clear();
        self.inverse.clear();
        self.contacts.clear();
    }
}

/// What comes back when pairs are frozen: all but their rows.
#[derive(Debug, Clone, Default)]
pub struct Frozen {
    /// Closest points.
    pub geometry: Vec<PairGeometry<f64>>,
    /// y and r of each contact.
    pub contacts: Vec<ContactLawState<f64>>,
    /// Natural map of each contact: normal, friction (N s).
    pub residual: Vec<[f64; 2]>,
    /// A v − b − Jᵀ x.
    pub momentum: Vec<f64>,
}

/// The pairs of one island on a device.
pub trait Resident: FrozenPairs {
    /// Evaluates a batch like [`Backend::evaluate`], but its rows stay. Where slip and forces are not exact, `out` is left
    /// alone.
    ///
    /// # Errors
    /// When the device cannot.
    fn freeze(&mut self, batch: &Batch, island: &Island, out: &mut Frozen) -> Result<(), Fault>;

    /// The rows after all.
    ///
    /// # Errors
    /// When the device cannot.
    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault>;

    /// Why the pairs are gone.
    fn fault(&self) -> Option<Fault>;
}

/// Resident pairs whose rows are compared with those of the f64 twin whenever they are frozen.
#[derive(Debug)]
pub struct CheckedResident {
    checked: Box<dyn Resident>,
    found: Arc<Mutex<Differences>>,
}

impl CheckedResident {
    /// Watches over resident pairs; differences go to `found`.
    pub fn new(checked: Box<dyn Resident>, found: Arc<Mutex<Differences>>) -> Self {
        Self { checked, found }
    }
}

impl Resident for CheckedResident {
    fn freeze(&mut self, batch: &Batch, island: &Island, out: &mut Frozen) -> Result<(), Fault> {
        self.checked.freeze(batch, island, out)?;
        let (mut found, mut expected) = (Evaluated::default(), Evaluated::default());
        self.checked.fetch(&mut found)?;
        Twin { precision: Precision::F64 }.evaluate(batch, &mut expected)?;
        let differences = compare(batch, &found, &expected);
        let mut worst = self.found.lock().unwrap_or_else(|e| e.into_inner());
        *worst = worst.worse(&differences);
        Ok(())
    }

    fn fetch(&mut self, out: &mut Evaluated) -> Result<(), Fault> {
        self.checked.fetch(out)
    }

    fn fault(&self) -> Option<Fault> {
        self.checked.fault()
    }
}

impl FrozenPairs for CheckedResident {
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
        gains: &mut Vec<ContactGain<f64>>,
    ) -> Result<(), Lost> {
        self.checked.project(w, force, gains)
    }

    fn slip(&mut self, w: &[f64], out: &mut Vec<[f64; 4]>) -> Result<(), Lost> {
        self.checked.slip(w, out)
    }

    fn push(&mut self, gains: &[ContactGain<f64>], force: &mut [f64]) -> Result<(), Lost> {
        self.checked.push(gains, force)
    }

    fn assemble(&mut self, gains: Option<&[ContactGain<f64>]>, length: f64) -> Result<(), Lost> {
        self.checked.assemble(gains, length)
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
