//! Simulations whose large islands are solved by a device: for the command line, which chooses and watches
//! devices.

use super::run::Simulation;
use signorini_backend::Guarded;
use signorini_error::{Error, Result};
use std::sync::Arc;

/// A run whose large islands may be solved by a backend instead of the CPU. A trait, because backends are no
/// part of the public face.
pub trait OnBackend {
    /// Has large islands solved by a backend from now on.
    ///
    /// # Errors
    /// When the formulation always solves them itself.
    fn use_backend(&mut self, backend: Guarded) -> Result<()>;

    /// The backend in use, if it is not the CPU itself.
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
                allowed: "it solves all islands on the CPU; use --backend cpu".to_owned(),
            });
        }
        self.backend = Some(backend);
        Ok(())
    }

    fn backend(&self) -> Option<&Guarded> {
        self.backend.as_deref()
    }
}
