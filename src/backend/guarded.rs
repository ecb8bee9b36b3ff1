//! A backend that may fail without harm: what fails is reported once, and the caller evaluates itself from there on.

use super::{Backend, Batch, BoxFeatures, Differences, Evaluated, Fault, Precision, Resident};
use crate::kernels::types::BoxPair;
use crate::linalg::BlockKrylov;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A backend and what went wrong with it.
#[derive(Debug)]
pub struct Guarded {
    backend: Arc<dyn Backend>,
    failed: Mutex<Option<Fault>>,
    /// Whether it was said that something is too large.
    told: AtomicBool,
}

impl Guarded {
    /// A backend that is trusted until it fails.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, failed: Mutex::default(), told: AtomicBool::new(false) }
    }

    /// Its arithmetic.
    pub fn precision(&self) -> Precision {
        self.backend.precision()
    }

    /// What it is, for people.
    pub fn name(&self) -> String {
        self.backend.name()
    }

    /// Why it is no longer used.
    pub fn failed(&self) -> Option<Fault> {
        self.lock().clone()
    }

    /// See [`Backend::differences`].
    pub fn differences(&self) -> Option<Differences> {
        self.backend.differences()
    }

    /// Its iterative solver, while it is in use.
    pub fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        if self.lock().is_some() { None } else { self.backend.krylov() }
    }

    /// Evaluates a batch; false means that the caller has to do it. A number that is not finite belongs to the input: the
    /// backend stays in use.
    pub fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> bool {
        if self.lock().is_some() {
            return false;
        }
        self.passes(self.backend.evaluate(batch, out))
    }

    /// Features of boxes; false means that the caller has to find them.
    pub fn boxes(&self, boxes: &[BoxPair<f64>], on_planes: &[BoxPair<f64>], out: &mut BoxFeatures) -> bool {
        let in_use = self.lock().is_none();
        in_use && self.passes(self.backend.boxes(boxes, on_planes, out))
    }

    /// Lower bounds of gaps; false means that the caller has to find them.
    pub fn bounds(&self, batch: &Batch, out: &mut Vec<f64>) -> bool {
        let in_use = self.lock().is_none();
        in_use && self.passes(self.backend.bounds(batch, out))
    }

    fn passes(&self, outcome: Result<(), Fault>) -> bool {
        outcome.map_err(|fault| self.note(fault)).is_ok()
    }

    /// Pairs of one island that stay on the device, while it is in use.
    pub fn resident(&self) -> Option<Box<dyn Resident>> {
        if self.lock().is_some() { None } else { self.backend.resident() }
    }

    /// Reports what went wrong, once; the backend is not used any more unless the fault lies in the input, or in its size.
    pub fn note(&self, fault: Fault) {
        let too_large = matches!(fault, Fault::TooLarge { .. });
        if too_large && self.told.swap(true, Ordering::SeqCst) {
            return;
        }
        if too_large || matches!(fault, Fault::NonFinite { .. }) {
            return tracing::warn!("{}: {fault}; the CPU takes over here", self.backend.name());
        }
        let mut failed = self.lock();
        if failed.is_none() {
            tracing::warn!("{}: {fault}; the run goes on with the CPU", self.backend.name());
            *failed = Some(fault);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Fault>> {
        self.failed.lock().unwrap_or_else(|e| e.into_inner())
    }
}
