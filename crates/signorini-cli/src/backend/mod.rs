//! The option `--backend` and the command `signorini devices`.

#[cfg(feature = "gpu")]
mod device;
#[cfg(not(feature = "gpu"))]
mod no_device;
#[cfg(feature = "gpu")]
pub mod suppress_stderr;

use super::arguments::{BackendChoice, BackendOptions};
use super::exit::{Failure, SUCCESS};
#[cfg(feature = "gpu")]
use device as open;
#[cfg(not(feature = "gpu"))]
use no_device as open;
use signorini::simulation::Simulation;
use signorini_error::Result;

/// Gives the simulation the chosen backend. The summary names the one that ran.
pub fn choose(options: &BackendOptions, simulation: &mut Simulation) -> Result<()> {
    match options.backend {
        // No chip was measured to be quicker over whole steps.
        BackendChoice::Auto | BackendChoice::Cpu => Ok(()),
        BackendChoice::Gpu => open::take_device(simulation),
    }
}

/// Lists adapters, their abilities, and their results in the self-test.
pub fn devices() -> std::result::Result<u8, Failure> {
    open::list();
    Ok(SUCCESS)
}
