//! `signorini bench`: what the backends do per second, side by side, as JSON.

use super::arguments::BenchOptions;
use super::{Failure, SUCCESS, say};
use serde_json::{Map, Value, json};
use signorini::Error;
use signorini::backend::sample::sample_batch;
use signorini::backend::{Backend, Batch, Evaluated, Fault, Guarded, Precision, Twin};
use signorini::scene::{LoadOptions, parse};
use signorini::simulation::Simulation;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The scene whose steps are timed, and how many: the fall and the first impacts.
const SCENE: &str = include_str!("../../scenes/granular/ellipsoids-64.toml");
const STEPS: usize = 45;
/// A measurement is repeated for about this long (s).
const PATIENCE: f64 = 1.0;

/// Measures, prints, and writes the file if one is named.
pub fn bench(options: &BenchOptions) -> Result<u8, Failure> {
    let batch = sample_batch(options.pairs);
    let mut rows = vec![on_cpu(&batch).map_err(Failure::Input)?];
    rows.extend(device::measure(&batch, options.pairs));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pairs": options.pairs,
        "threads": threads,
        "scene_steps": STEPS,
        "backends": rows,
    });
    let text = format!("{report:#}");
    say(&text);
    if let Some(path) = &options.out {
        std::fs::write(path, text + "\n")
            .map_err(|source| Failure::Other(Error::Io { path: path.clone(), source }))?;
    }
    Ok(SUCCESS)
}

/// Evaluations per second, input and output included.
fn pairs_per_second(backend: &dyn Backend, batch: &Batch) -> Result<f64, Fault> {
    let mut out = Evaluated::default();
    backend.evaluate(batch, &mut out)?;
    let (start, mut repeats) = (Instant::now(), 0);
    while repeats == 0 || start.elapsed().as_secs_f64() < PATIENCE {
        backend.evaluate(batch, &mut out)?;
        repeats += 1;
    }
    Ok((repeats * batch.pairs.len()) as f64 / start.elapsed().as_secs_f64())
}

/// Steps per second of the pile; null when one is not solved.
fn steps_per_second(backend: Option<Arc<dyn Backend>>) -> Result<Value, Error> {
    let scene = parse(SCENE, Path::new("ellipsoids-64.toml"), &LoadOptions::default())?.scene;
    let tolerance = scene.solver.tolerance;
    let mut simulation = Simulation::new(scene)?;
    simulation.audit = false;
    if let Some(backend) = backend {
        simulation.use_backend(Guarded::new(backend))?;
    }
    let (mut seconds, mut worst) = (0.0, 0.0_f64);
    for _ in 0..STEPS {
        let outcome = simulation.advance();
        seconds += outcome.solve_time.as_secs_f64();
        worst = worst.max(outcome.info.residual.max());
    }
    let solved = worst <= tolerance;
    Ok(json!({ "steps_per_second": STEPS as f64 / seconds, "worst_residual": worst, "solved": solved }))
}

fn on_cpu(batch: &Batch) -> Result<Value, Error> {
    let mut row = Map::new();
    row.insert("backend".to_owned(), json!("cpu"));
    for precision in [Precision::F32, Precision::F64] {
        let name = format!("pairs_per_second_{}", precision.as_str());
        // The twins do not fail.
        let found = pairs_per_second(&Twin { precision }, batch).unwrap_or(f64::NAN);
        row.insert(name, json!(found));
    }
    row.insert("steps".to_owned(), steps_per_second(None)?);
    Ok(Value::Object(row))
}

#[cfg(not(feature = "gpu"))]
mod device {
    use super::{Batch, Value};

    pub fn measure(_: &Batch, _: usize) -> Vec<Value> {
        Vec::new()
    }
}

#[cfg(feature = "gpu")]
mod device {
    use super::super::complain;
    use super::*;
    use signorini::backend::gpu::bandwidth::copy_bandwidth;
    use signorini::backend::gpu::measure::{blocks_per_second, product_bandwidth};
    use signorini::backend::gpu::{Device, Gpu};

    /// A row per precision of the best device.
    pub fn measure(batch: &Batch, pairs: usize) -> Vec<Value> {
        let device = match Device::best() {
            Ok(device) => Arc::new(device),
            Err(fault) => {
                complain(&format!("note: {fault}: only the CPU is measured"));
                return Vec::new();
            }
        };
        let mut rows = Vec::new();
        for precision in [Precision::F32, Precision::F64].into_iter().filter(|p| device.supports(*p)) {
            match row(&device, precision, batch, pairs) {
                Ok(row) => rows.push(row),
                Err(message) => complain(&format!("warning: {}: {message}", precision.as_str())),
            }
        }
        rows
    }

    fn row(device: &Arc<Device>, precision: Precision, batch: &Batch, pairs: usize) -> Result<Value, String> {
        let said = |fault: Fault| fault.to_string();
        let gpu = Arc::new(Gpu::new(Arc::clone(device), precision).map_err(said)?);
        let with_transfers = pairs_per_second(&*gpu, batch).map_err(said)?;
        let [kernels_only, closest_points] = gpu.kernel_rates(batch).map_err(said)?;
        let copied = copy_bandwidth(device).map_err(said)?;
        // A matrix that fits a binding.
        let contacts = pairs.min(gpu.pairs_at_once());
        let product = product_bandwidth(device, precision, contacts).map_err(said)?;
        let steps = steps_per_second(Some(gpu)).map_err(|e| e.to_string())?;
        Ok(json!({
            "backend": "gpu",
            "device": device.name(),
            "software": device.is_software(),
            "precision": precision.as_str(),
            "pairs_per_second": with_transfers,
            "pairs_per_second_without_transfers": kernels_only,
            "closest_points_per_second": closest_points,
            "jacobian_blocks_per_second": blocks_per_second(device, precision, contacts).map_err(said)?,
            "copy_gigabytes_per_second": copied / 1e9,
            "product_gigabytes_per_second": product / 1e9,
            "product_share_of_copy": product / copied,
            "steps": steps,
        }))
    }
}
