//! A backend that may fail without harm: a failure is reported once, and from then on the caller evaluates
//! itself.

use super::{Backend, Batch, DeviceIsland, Differences, Evaluated, Fault, Precision};
use signorini_kernels::device_flat::FlatOnDevice;
use signorini_ncp::linalg::BlockKrylov;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A backend with its failure, if any.
#[derive(Debug)]
pub struct Guarded {
    backend: Arc<dyn Backend>,
    failed: Mutex<Option<Fault>>,
    /// Whether a batch that is too large was reported.
    told: AtomicBool,
    /// Counts of smooth pairs, of those kept on the device, of contacts in flat arrays.
    done: [AtomicU64; 3],
}

/// Work of a backend so far; the CPU did the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WorkDone {
    /// Number of smooth pairs that were evaluated and came back.
    pub pairs: u64,
    /// Number of smooth pairs that were evaluated and kept on the device.
    pub resident_pairs: u64,
    /// Number of contacts in flat arrays whose sweeps and turns were made, once for each solve.
    #[serde(default)]
    pub flat_contacts: u64,
}

impl Guarded {
    /// Makes a guard of a backend, which is used until it fails.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, failed: Mutex::default(), told: AtomicBool::new(false), done: Default::default() }
    }

    /// Arithmetic of the backend.
    pub fn precision(&self) -> Precision {
        self.backend.precision()
    }

    /// Name of the backend, for people.
    pub fn name(&self) -> String {
        self.backend.name()
    }

    /// Fault by which the backend is no longer used, if any.
    pub fn failed(&self) -> Option<Fault> {
        self.lock().clone()
    }

    /// Differences that the backend found, see [`Backend::differences`].
    pub fn differences(&self) -> Option<Differences> {
        self.backend.differences()
    }

    /// Iterative solver of the backend, while it is in use.
    pub fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        if self.lock().is_some() { None } else { self.backend.krylov() }
    }

    /// Evaluates a batch; false means that the caller has to do it. A number that is not finite belongs to
    /// the input: the backend stays in use.
    pub fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> bool {
        if self.lock().is_some() {
            return false;
        }
        self.passes(self.backend.evaluate(batch, out)) && self.count(0, batch.pairs.len())
    }

    /// Counts pairs that were evaluated and kept on the device.
    pub fn count_on_device(&self, n: usize) {
        self.count(1, n);
    }

    /// Counts the contacts of a solve in flat arrays on the device.
    pub fn count_flat(&self, n: usize) {
        self.count(2, n);
    }

    /// Returns the work done so far.
    pub fn done(&self) -> WorkDone {
        let [pairs, resident_pairs, flat_contacts] =
            [0, 1, 2].map(|k: usize| self.done[k].load(Ordering::Relaxed));
        WorkDone { pairs, resident_pairs, flat_contacts }
    }

    fn count(&self, what: usize, n: usize) -> bool {
        self.done[what].fetch_add(n as u64, Ordering::Relaxed);
        true
    }

    fn passes(&self, outcome: Result<(), Fault>) -> bool {
        outcome.map_err(|fault| self.note(fault)).is_ok()
    }

    /// Returns the pairs of one island kept on the device, while the backend is in use.
    pub fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        if self.lock().is_some() { None } else { self.backend.device_island() }
    }

    /// Flat step of the backend, while it is in use.
    pub fn flat(&self) -> Option<Arc<dyn FlatOnDevice>> {
        if self.lock().is_some() { None } else { self.backend.flat() }
    }

    /// Reports the fault by which a solve of the flat step was lost, if it was.
    pub fn note_flat(&self) {
        if let Some(fault) = self.backend.flat_fault() {
            self.note(fault);
        }
    }

    /// Reports a fault, once; the backend is not used any more unless the fault lies in the input, or in its
    /// size.
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
