//! Messages about devices in a program without the feature `gpu`.

use crate::arguments::BackendOptions;
use crate::console::print_line;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};

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
    print_line("this program was built without the feature gpu");
}
