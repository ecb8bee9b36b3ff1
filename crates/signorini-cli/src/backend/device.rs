//! Opening of a device, and the list of devices.

use super::suppress_stderr::suppress_stderr;
use crate::arguments::{Arithmetic, BackendOptions};
use crate::console::{print_error, print_line};
use signorini::simulation::{OnBackend, Simulation};
use signorini_backend::gpu::bandwidth::copy_bandwidth;
use signorini_backend::gpu::self_test::self_test;
use signorini_backend::gpu::{Adapter, Device, Gpu, adapters};
use signorini_backend::{Checked, Fault, Guarded, Precision, choice};
use signorini_error::{Error, Result};
use signorini_ncp::solver::parameters::sweeps::SWEEP_ABOVE_TOLERANCE;
use signorini_scene::scene::{Body, Part};
use signorini_scene::settings::Formulation;
use std::sync::Arc;

pub fn take_device(options: &BackendOptions, simulation: &mut Simulation) -> Result<()> {
    let usage = |fault: &Fault| Error::Usage {
        what: "--backend gpu".to_owned(),
        allowed: format!("{fault}; `signorini devices` lists what there is; use --backend cpu or auto"),
    };
    let device = Arc::new(suppress_stderr(Device::best).map_err(|fault| usage(&fault))?);
    let precision = match options.precision {
        Some(Arithmetic::F32) => Precision::F32,
        Some(Arithmetic::F64) => Precision::F64,
        None if device.supports(Precision::F64) => Precision::F64,
        None => Precision::F32,
    };
    if !device.supports(precision) {
        let what = "--precision f64".to_owned();
        let allowed = format!("{} computes in f32 only", device.name());
        return Err(Error::Usage { what, allowed });
    }
    match Gpu::new(device, precision) {
        Ok(gpu) if options.check_backend => {
            simulation.use_backend(Guarded::new(Arc::new(Checked::new(Arc::new(gpu)))))
        }
        Ok(gpu) => simulation.use_backend(Guarded::new(Arc::new(gpu))),
        // A device that computes wrongly is worse than none, but the input is not at fault.
        Err(fault) => {
            print_error(&format!("warning: {fault}; the run takes the CPU"));
            Ok(())
        }
    }
}

/// Takes a device if that is quicker.
pub fn consider(simulation: &mut Simulation) -> Result<()> {
    let scene = simulation.scene();
    let is_round = |part: &Part| part.shape.is_ellipsoid();
    let is_smooth = |b: &&Body| !b.fixed && b.parts.iter().all(is_round);
    let n_bodies = scene.bodies.iter().filter(is_smooth).count();
    let asks = matches!(scene.solver.formulation, Formulation::Implicit | Formulation::Auto);
    // Large islands take the flat step there, on which no chip was measured yet.
    let is_swept = scene.solver.tolerance >= SWEEP_ABOVE_TOLERANCE;
    if !asks || is_swept || n_bodies < choice::FEWEST_BODIES {
        return Ok(());
    }
    let Some(adapter) = suppress_stderr(adapters).into_iter().find(|a| !a.is_software()) else {
        return Ok(());
    };
    let tried = adapter.open().and_then(|device| {
        let device = Arc::new(device);
        let precision = if device.supports(Precision::F64) { Precision::F64 } else { Precision::F32 };
        let gpu = Gpu::new(device, precision)?;
        let gain = choice::gain(&gpu, n_bodies)?;
        Ok((gpu, gain))
    });
    match tried {
        Ok((gpu, gain)) if choice::is_worth_it(false, n_bodies, gain) => {
            simulation.use_backend(Guarded::new(Arc::new(gpu)))
        }
        Ok(_) => Ok(()),
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
