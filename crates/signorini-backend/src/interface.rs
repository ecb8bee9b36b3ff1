//! The interface of a backend.

use super::batch::{Batch, Evaluated};
use super::device_island::DeviceIsland;
use super::differences::Differences;
use super::fault::Fault;
use super::precision::Precision;
use signorini_kernels::device_flat::FlatOnDevice;
use signorini_ncp::linalg::BlockKrylov;
use std::fmt::Debug;
use std::sync::Arc;

/// A backend, which evaluates contacts.
pub trait Backend: Debug + Send + Sync {
    /// Name of the backend, for people.
    fn name(&self) -> String;

    /// Arithmetic of the backend. With [`Precision::F32`] the caller takes matrix blocks only and evaluates
    /// the terms of the residual itself.
    fn precision(&self) -> Precision;

    /// Evaluates closest points, slip, force directions, response and stiffness of all pairs of a batch.
    ///
    /// # Errors
    /// When the backend fails; `out` is then of no use.
    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault>;

    /// Iterative solver of the backend, if it has one.
    fn krylov(&self) -> Option<Arc<dyn BlockKrylov>> {
        None
    }

    /// Returns the pairs of one island kept on the device, if the backend can keep them.
    fn device_island(&self) -> Option<Box<dyn DeviceIsland>> {
        None
    }

    /// Flat step of the backend, if it takes it.
    fn flat(&self) -> Option<Arc<dyn FlatOnDevice>> {
        None
    }

    /// Returns the fault by which a solve of the flat step was lost since the last call, if any.
    fn flat_fault(&self) -> Option<Fault> {
        None
    }

    /// Differences that a backend found which compares two.
    fn differences(&self) -> Option<Differences> {
        None
    }
}
