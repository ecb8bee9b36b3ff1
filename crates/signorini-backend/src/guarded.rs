//! A backend that may fail without harm: a failure is reported once, and from then on the caller computes
//! itself.

use super::{Backend, Fault};
use signorini_kernels::device_flat::FlatOnDevice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A backend with its failure, if any.
#[derive(Debug)]
pub struct Guarded {
    backend: Arc<dyn Backend>,
    failed: Mutex<Option<Fault>>,
    /// Whether a solve that is too large was reported.
    told: AtomicBool,
    /// Count of contacts in flat arrays.
    flat_contacts: AtomicU64,
}

/// Work of a backend so far; the CPU did the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WorkDone {
    /// Number of contacts in flat arrays whose sweeps and turns were made, once for each solve.
    #[serde(default)]
    pub flat_contacts: u64,
}

impl Guarded {
    /// Makes a guard of a backend, which is used until it fails.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            failed: Mutex::default(),
            told: AtomicBool::new(false),
            flat_contacts: AtomicU64::default(),
        }
    }

    /// Name of the backend, for people.
    pub fn name(&self) -> String {
        self.backend.name()
    }

    /// Fault by which the backend is no longer used, if any.
    pub fn failed(&self) -> Option<Fault> {
        self.lock().clone()
    }

    /// Counts the contacts of a solve in flat arrays on the device.
    pub fn count_flat(&self, n: usize) {
        self.flat_contacts.fetch_add(n as u64, Ordering::Relaxed);
    }

    /// Returns the work done so far.
    pub fn done(&self) -> WorkDone {
        WorkDone { flat_contacts: self.flat_contacts.load(Ordering::Relaxed) }
    }

    /// Flat step of the backend, while it is in use.
    pub fn flat(&self) -> Option<Arc<dyn FlatOnDevice>> {
        self.lock().is_none().then(|| self.backend.flat())
    }

    /// Reports the fault by which a solve of the flat step was lost, if it was, once; the backend is not used
    /// any more unless the solve was too large for it.
    pub fn note_flat(&self) {
        let Some(fault) = self.backend.take_fault() else { return };
        if matches!(fault, Fault::TooLarge { .. }) {
            if !self.told.swap(true, Ordering::SeqCst) {
                tracing::warn!("{}: {fault}; the CPU takes over here", self.backend.name());
            }
            return;
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
