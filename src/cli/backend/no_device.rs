//! Messages about devices in a program without the feature `gpu`.

use crate::cli::arguments::BackendOptions;
use crate::cli::console::say;
use crate::simulation::Simulation;
use crate::{Error, Result};

pub fn take_device(_: &BackendOptions, _: &mut Simulation) -> Result<()> {
    Err(Error::Usage {
        what: "--backend gpu".to_owned(),
        allowed: "this program was built without the feature gpu; use --backend cpu or auto".to_owned(),
    })
}

pub fn consider(_: &mut Simulation) -> Result<()> {
    Ok(())
}

pub fn list() {
    say("this program was built without the feature gpu");
}
