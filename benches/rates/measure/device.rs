//! Rates of the best device per second.

use super::device_rates::{blocks_per_second, contacts_that_fit, kernel_rates, product_bandwidth};
use super::note;
use super::rates::{pairs_per_second, steps_per_second};
use super::settled;
use serde_json::{Value, json};
use signorini_backend::gpu::bandwidth::copy_bandwidth;
use signorini_backend::gpu::{Device, Gpu};
use signorini_backend::sample::sample_island;
use signorini_backend::{Backend, Batch, DeviceLinearization, Fault, Precision};
use signorini_scene::scene::Scene;
use std::sync::Arc;
use std::time::Instant;

/// Time for which a measurement is repeated (s).
const MEASURING_TIME: f64 = 1.0;

/// Returns a row per precision of the best device. `cpu` is the row of the CPU.
pub fn measure(batch: &Batch, at_rest: Option<&Scene>, steps: usize, cpu: &Value) -> Vec<Value> {
    let device = match Device::best() {
        Ok(device) => Arc::new(device),
        Err(fault) => {
            note(&format!("{fault}: only the CPU is measured"));
            return Vec::new();
        }
    };
    let mut rows = Vec::new();
    for precision in [Precision::F32, Precision::F64].into_iter().filter(|p| device.supports(*p)) {
        note(&format!("measuring {}, {}", device.name(), precision.as_str()));
        match row(&device, precision, batch, at_rest, steps, &cpu[precision.as_str()]) {
            Ok(row) => rows.push(row),
            Err(message) => note(&format!("{}: {message}", precision.as_str())),
        }
    }
    rows
}

fn row(
    device: &Arc<Device>,
    precision: Precision,
    batch: &Batch,
    at_rest: Option<&Scene>,
    n_steps: usize,
    cpu: &Value,
) -> Result<Value, String> {
    let said = |fault: Fault| fault.to_string();
    let gpu = Arc::new(Gpu::new(Arc::clone(device), precision).map_err(said)?);
    let with_transfers = pairs_per_second(&*gpu, batch).map_err(said)?;
    let [kernels_only, closest_points] = kernel_rates(&gpu, precision, batch).map_err(said)?;
    // An island of too many pairs is refused.
    let on_device = island_pairs_per_second(&*gpu, batch);
    let copied = copy_bandwidth(device).map_err(said)?;
    let contacts = contacts_that_fit(device, precision, batch.pairs.len());
    let product = product_bandwidth(device, precision, contacts).map_err(said)?;
    let blocks = blocks_per_second(device, precision, contacts).map_err(said)?;
    let backend = || Some(Arc::clone(&gpu) as Arc<dyn Backend>);
    let steps = steps_per_second(backend()).map_err(|e| e.to_string())?;
    let settled = at_rest.map(|scene| settled::steps(scene, backend(), n_steps)).transpose();
    let settled = settled.map_err(|e| e.to_string())?;
    let of_cpu = |what: &str, found: f64| cpu[what].as_f64().map(|cpu| found / cpu);
    Ok(json!({
        "backend": "gpu",
        "device": device.name(),
        "software": device.is_software(),
        "precision": precision.as_str(),
        "pairs_per_second": with_transfers,
        "pairs_per_second_resident": on_device.as_ref().ok(),
        "pairs_per_second_resident_refused": on_device.as_ref().err().map(ToString::to_string),
        "pairs_per_second_without_transfers": kernels_only,
        "closest_points_per_second": closest_points,
        "times_the_cpu": {
            "all_back": of_cpu("pairs_per_second", with_transfers),
            "resident": on_device.as_ref().ok().and_then(|found| of_cpu("pairs_per_second", *found)),
            "without_transfers": of_cpu("pairs_per_second", kernels_only),
            "jacobian_blocks": of_cpu("jacobian_blocks_per_second", blocks),
            "product": of_cpu("product_gigabytes_per_second", product / 1e9),
        },
        "contacts_of_the_matrix": contacts,
        "jacobian_blocks_per_second": blocks,
        "copy_gigabytes_per_second": copied / 1e9,
        "product_gigabytes_per_second": product / 1e9,
        "product_share_of_copy": product / copied,
        "steps": steps,
        "settled": settled,
    }))
}

/// Evaluations per second of pairs that are kept on the device: poses, velocities and impulses are sent,
/// closest points, slip, weights, natural maps and momentum come back.
fn island_pairs_per_second(backend: &dyn Backend, batch: &Batch) -> Result<f64, Fault> {
    let mut pairs =
        backend.device_island().ok_or_else(|| Fault::Missing("no pairs on the device".to_owned()))?;
    let (island, mut out) = (sample_island(batch), DeviceLinearization::default());
    // Each round ends when a result has come back: in f32 none would.
    let mut force = Vec::new();
    let mut once = || -> Result<(), Fault> {
        pairs.linearize(batch, &island, &mut out)?;
        if !pairs.is_exact() {
            pairs
                .slip(&vec![0.0; 6 * island.n_moving], &mut force)
                .map_err(|_| pairs.fault().unwrap_or(Fault::Lost("gone".to_owned())))?;
        }
        Ok(())
    };
    once()?;
    let (start, mut repeats) = (Instant::now(), 0);
    while repeats == 0 || start.elapsed().as_secs_f64() < MEASURING_TIME {
        once()?;
        repeats += 1;
    }
    Ok((repeats * batch.pairs.len()) as f64 / start.elapsed().as_secs_f64())
}
