//! The option `--backend`, the command `signorini devices` and the chip of `signorini bench`.

mod chip;
#[cfg(feature = "gpu")]
mod device;
#[cfg(not(feature = "gpu"))]
mod no_device;
#[cfg(feature = "gpu")]
pub mod suppress_stderr;

pub use chip::Chip;

use super::arguments::{BackendChoice, BackendOptions};
use super::exit::{Failure, SUCCESS};
#[cfg(feature = "gpu")]
use device as open;
#[cfg(not(feature = "gpu"))]
use no_device as open;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};

/// Gives the simulation the chosen backend. The summary names the one that ran.
pub fn choose(options: &BackendOptions, simulation: &mut Simulation) -> Result<()> {
    match options.backend {
        // No chip was measured to be quicker over whole steps.
        BackendChoice::Auto | BackendChoice::Cpu => Ok(()),
        BackendChoice::Gpu => open::take_device(simulation),
    }
}

/// Returns the best device of the machine for `bench --device`.
///
/// # Errors
/// Where there is none, or none that computes as it should.
pub fn chip() -> Result<Chip> {
    open::chip().map_err(|why| Error::Usage {
        what: "--device".to_owned(),
        allowed: format!("{why}; without it the cores are measured"),
    })
}

/// Lists adapters, their abilities, and their results in the self-test.
pub fn devices() -> std::result::Result<u8, Failure> {
    open::list();
    Ok(SUCCESS)
}
