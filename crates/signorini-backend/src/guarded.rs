//! A backend that may fail without harm: what fails is reported once, and the caller evaluates itself from
//! there on.

use super::{Backend, Batch, BoxFeatures, DeviceIsland, Differences, Evaluated, Fault, Precision};
use signorini_kernels::device_sweeps::SweepsOnDevice;
use signorini_kernels::types::BoxPair;
use signorini_ncp::linalg::BlockKrylov;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A backend and what went wrong with it.
#[derive(Debug)]
pub struct Guarded {
    backend: Arc<dyn Backend>,
    failed: Mutex<Option<Fault>>,
    /// Whether it was said that something is too large.
    told: AtomicBool,
    /// Smooth pairs, those that stay on the device, boxes, candidates.
    done: [AtomicU64; 4],
}

/// What a backend has done so far: what is not counted here the CPU did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Done {
    /// Smooth pairs that were evaluated and came back.
    pub pairs: u64,
    /// Smooth pairs that were evaluated and stayed.
    pub resident_pairs: u64,
    /// Pairs of boxes, and boxes on half-spaces, whose features were found.
    pub boxes: u64,
    /// Candidate pairs whose gap was bounded.
    pub candidates: u64,
}

impl Guarded {
    /// A backend that is trusted until it fails.
    pub fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, failed: Mutex::default(), told: AtomicBool::new(false), done: Default::default() }
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

    /// Evaluates a batch; false means that the caller has to do it. A number that is not finite belongs to
    /// the input: the backend stays in use.
    pub fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> bool {
        if self.lock().is_some() {
            return false;
        }
        self.passes(self.backend.evaluate(batch, out)) && self.count(0, batch.pairs.len())
    }

    /// Features of boxes; false means that the caller has to find them.
    pub fn boxes(&self, boxes: &[BoxPair<f64>], on_planes: &[BoxPair<f64>], out: &mut BoxFeatures) -> bool {
        let in_use = self.lock().is_none();
        in_use
            && self.passes(self.backend.boxes(boxes, on_planes, out))
            && self.count(2, boxes.len() + on_planes.len())
    }

    /// Lower bounds of gaps; false means that the caller has to find them.
    pub fn bounds(&self, batch: &Batch, out: &mut Vec<f64>) -> bool {
        let in_use = self.lock().is_none();
        in_use && self.passes(self.backend.bounds(batch, out)) && self.count(3, batch.pairs.len())
    }

    /// So many pairs were evaluated and stayed.
    pub fn count_on_device(&self, n: usize) {
        self.count(1, n);
    }

    /// What was done so far.
    pub fn done(&self) -> Done {
        let [pairs, resident_pairs, boxes, candidates] =
            [0, 1, 2, 3].map(|k| self.done[k].load(Ordering::Relaxed));
        Done { pairs, resident_pairs, boxes, candidates }
    }

    fn count(&self, what: usize, n: usize) -> bool {
        self.done[what].fetch_add(n as u64, Ordering::Relaxed);
        true
    }

    fn passes(&self, outcome: Result<(), Fault>) -> bool {
        outcome.map_err(|fault| self.note(fault)).is_ok()
    }

    /// The pairs of one island kept on the device, while it is in use.
    pub fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        if self.lock().is_some() { None } else { self.backend.device_island() }
    }

    /// Its sweeps, while it is in use.
    pub fn sweeps(&self) -> Option<Arc<dyn SweepsOnDevice>> {
        if self.lock().is_some() { None } else { self.backend.sweeps() }
    }

    /// Reports why sweeps were lost, if they were.
    pub fn note_sweeps(&self) {
        if let Some(fault) = self.backend.sweeps_fault() {
            self.note(fault);
        }
    }

    /// Reports what went wrong, once; the backend is not used any more unless the fault lies in the input, or
    /// in its size.
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
