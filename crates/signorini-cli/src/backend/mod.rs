//! The option `--backend` and the command `signorini devices`.

#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod hush;
#[cfg(not(feature = "gpu"))]
mod no_device;

use super::arguments::{BackendChoice, BackendOptions};
use super::exit::{Failure, SUCCESS};
#[cfg(feature = "gpu")]
use device as open;
#[cfg(not(feature = "gpu"))]
use no_device as open;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};

/// Gives the simulation the chosen backend.
///
/// `auto` takes a chip where the scene is large and the chip, timed on pairs like the scene's, evaluates them
/// quicker than all cores. The summary names the one that ran; naming one on the command line pins it.
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

/// Lists adapters, their abilities, and their results in the self-test.
pub fn devices() -> std::result::Result<u8, Failure> {
    open::list();
    Ok(SUCCESS)
}
