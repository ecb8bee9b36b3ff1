//! Simulations whose contacts are evaluated by a device: for the command line, which chooses and watches
//! devices.

use super::run::Simulation;
use signorini_backend::Guarded;
use signorini_error::{Error, Result};
use std::sync::Arc;

/// A run whose contacts may be evaluated by a backend instead of the CPU path. A trait, because backends are
/// no part of the public face.
pub trait OnBackend {
    /// Has contacts evaluated by a backend from now on.
    ///
    /// # Errors
    /// When the formulation always evaluates them itself.
    fn use_backend(&mut self, backend: Guarded) -> Result<()>;

    /// The backend in use, if it is not the CPU path itself.
    fn backend(&self) -> Option<&Guarded>;
}

impl OnBackend for Simulation {
    fn use_backend(&mut self, backend: Guarded) -> Result<()> {
        let backend = Arc::new(backend);
        if !self.stepper.use_backend(Arc::clone(&backend)) {
            return Err(Error::Usage {
                what: format!(
                    "formulation {:?} on {}",
                    self.scene.solver.formulation.as_str(),
                    backend.name()
                ),
                allowed: "it evaluates contacts on the CPU; use --backend cpu or auto".to_owned(),
            });
        }
        self.backend = Some(backend);
        Ok(())
    }

    fn backend(&self) -> Option<&Guarded> {
        self.backend.as_deref()
    }
}
