//! Opening of a device, and the list of devices.

use super::chip::Chip;
use super::suppress_stderr::suppress_stderr;
use crate::console::{print_error, print_line};
use signorini::simulation::{OnBackend, Simulation};
use signorini_backend::gpu::bandwidth::copy_bandwidth;
use signorini_backend::gpu::self_test::self_test;
use signorini_backend::gpu::{Adapter, Device, GpuFlat, adapters};
use signorini_backend::{Backend, Fault, Guarded, Precision};
use signorini_error::{Error, Result};
use std::sync::Arc;

/// Returns the best device, or why there is none.
pub fn chip() -> std::result::Result<Chip, String> {
    let open = || {
        let device = Arc::new(suppress_stderr(Device::best)?);
        Ok(Chip {
            backend: Arc::new(GpuFlat::new(Arc::clone(&device))?) as Arc<dyn Backend>,
            facts: device.facts().to_vec(),
            is_software: device.is_software(),
            largest_binding: device.largest_binding(),
            copied: copy_bandwidth(&device)?,
        })
    };
    open().map_err(|fault: Fault| format!("{fault}; `signorini devices` lists what there is"))
}

pub fn take_device(simulation: &mut Simulation) -> Result<()> {
    let usage = |fault: &Fault| Error::Usage {
        what: "--backend gpu".to_owned(),
        allowed: format!("{fault}; `signorini devices` lists what there is; use --backend cpu"),
    };
    let device = Arc::new(suppress_stderr(Device::best).map_err(|fault| usage(&fault))?);
    match GpuFlat::new(device) {
        Ok(gpu) => simulation.use_backend(Guarded::new(Arc::new(gpu))),
        Err(fault @ Fault::Missing(_)) => Err(usage(&fault)),
        // A device that computes wrongly is worse than none, but the input is not at fault.
        Err(fault) => {
            print_error(&format!("warning: {fault}; the run takes the CPU"));
            Ok(())
        }
    }
}

pub fn list() {
    let found = suppress_stderr(adapters);
    if found.is_empty() {
        print_line("no graphics adapter: the system has no driver for Vulkan, Metal or Direct3D 12");
    }
    for adapter in found {
        print_line(&adapter.describe());
        if adapter.is_software() {
            print_line("  a program, not a chip: for tests");
        }
        for (limit, value) in adapter.limits() {
            print_line(&format!("  {limit} {value}"));
        }
        print_line(&format!("  features {}", adapter.features().join(", ")));
        match test(&adapter) {
            Ok(lines) => lines.iter().for_each(|line| print_line(&format!("  {line}"))),
            Err(fault) => print_line(&format!("  not usable: {fault}")),
        }
    }
}

fn test(adapter: &Adapter) -> std::result::Result<Vec<String>, Fault> {
    let device = adapter.open()?;
    let mut lines = Vec::new();
    for precision in [Precision::F32, Precision::F64] {
        let word = precision.as_str();
        lines.push(match device.supports(precision) {
            false => format!("{word}: not supported"),
            true => match self_test(&device, precision) {
                Ok(units) => format!("{word}: self-test passed, {units:.1} units of rounding at most"),
                Err(fault) => format!("{word}: {fault}"),
            },
        });
    }
    lines.push(format!("copies {:.1} GB/s (read and written)", copy_bandwidth(&device)? / 1e9));
    Ok(lines)
}
