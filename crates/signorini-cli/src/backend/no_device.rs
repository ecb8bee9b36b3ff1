//! Messages about devices in a program without the feature `gpu`.

use super::chip::Chip;
use crate::console::print_line;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result};

pub fn take_device(_: &mut Simulation) -> Result<()> {
    Err(Error::Usage {
        what: "--backend gpu".to_owned(),
        allowed: "this program was built without the feature gpu; use --backend cpu".to_owned(),
    })
}

pub fn chip() -> std::result::Result<Chip, String> {
    Err("this program was built without the feature gpu".to_owned())
}

pub fn list() {
    print_line("this program was built without the feature gpu");
}
