//! A backend that may fail without harm: what fails is reported once, and the caller evaluates itself from there on.

use super::{Backend, Batch, Differences, Evaluated, Fault, Precision};
use crate::linalg::BlockKrylov;
use std::sync::{Arc, Mutex};

/// A backend and what went wrong with it.
#[derive(Debug)]
pub struct Guarded {
    backend: Arc<dyn Backend>,
    failed: Mutex<Option<Fault>>,
}

impl Guarded {
    /// A backend that is trusted until it fails.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, failed: Mutex::default() }
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
        match self.backend.evaluate(batch, out) {
            Ok(()) => true,
            Err(fault @ Fault::NonFinite { .. }) => {
                tracing::warn!("{}: {fault}", self.backend.name());
                false
            }
            Err(fault) => {
                let mut failed = self.lock();
                if failed.is_none() {
                    tracing::warn!("{}: {fault}; the run goes on with the CPU", self.backend.name());
                    *failed = Some(fault);
                }
                false
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Fault>> {
        self.failed.lock().unwrap_or_else(|e| e.into_inner())
    }
}
