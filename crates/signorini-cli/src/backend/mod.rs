//! `--backend`, `signorini devices`.

#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
pub mod hush;
#[cfg(not(feature = "gpu"))]
mod no_device;

use super::arguments::{BackendChoice, BackendOptions};
use super::exit::{Failure, SUCCESS};
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};
#[cfg(feature = "gpu")]
use device as open;
#[cfg(not(feature = "gpu"))]
use no_device as open;

/// Gives the simulation the backend that was asked for.
///
/// `auto` takes a chip where the scene is large and the chip, timed on pairs like the scene's, evaluates them
/// quicker than all cores. Which of the two ran is written down; naming one pins it.
pub fn choose(options: &BackendOptions, simulation: &mut Simulation) -> Result<()> {
    if options.backend != BackendChoice::Gpu {
        let misused =
            [("--precision", options.precision.is_some()), ("--check-backend", options.check_backend)];
        if let Some((what, _)) = misused.iter().find(|m| m.1) {
            let allowed = "only with --backend gpu".to_owned();
            return Err(Error::Usage { what: (*what).to_owned(), allowed });
        }
        if options.backend == BackendChoice::Auto {
            return open::consider(simulation);
        }
        return Ok(());
    }
    open::take_device(options, simulation)
}

/// Lists adapters, what they can do, and how they fare in the self-test.
pub fn devices() -> std::result::Result<u8, Failure> {
    open::list();
    Ok(SUCCESS)
}
