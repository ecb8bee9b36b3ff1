//! The interface of a backend.

use super::fault::Fault;
use signorini_kernels::device_flat::FlatOnDevice;
use std::fmt::Debug;
use std::sync::Arc;

/// A backend, which takes solves of the flat step.
pub trait Backend: Debug + Send + Sync {
    /// Name of the backend, for people.
    fn name(&self) -> String;

    /// Flat step of the backend.
    fn flat(&self) -> Arc<dyn FlatOnDevice>;

    /// Returns the fault by which a solve was lost since the last call, if any.
    fn take_fault(&self) -> Option<Fault>;
}
