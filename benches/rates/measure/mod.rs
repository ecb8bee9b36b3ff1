//! Rates of the backends per second, side by side, as JSON.

#[cfg(feature = "gpu")]
mod budget;
mod chain;
mod cpu_rates;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod device_rates;
#[cfg(feature = "gpu")]
mod flat_rates;
#[cfg(feature = "gpu")]
mod granular_bed;
mod rates;
mod settled;
#[cfg(feature = "gpu")]
pub mod whole;

use serde_json::{Map, Value, json};
use signorini_backend::sample::sample_batch;
use signorini_backend::{Batch, Precision, Twin};
use signorini_error::Error;
use signorini_scene::scene::Scene;

/// Sizes of the measured work.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Pairs that are evaluated at once, and contacts of the matrices.
    pub pairs: usize,
    /// Ellipsoids at rest whose steps are timed; 0: none.
    pub settled: usize,
    /// Ellipsoids at rest in one pile.
    pub pile: usize,
    /// Steps of the ellipsoids at rest.
    pub settled_steps: usize,
}

/// Measures the CPU, and the best device beside the CPU if asked to.
///
/// # Errors
/// When a scene is refused.
pub fn side_by_side(sizes: &Sizes, with_device: bool) -> Result<Value, Error> {
    let batch = sample_batch(sizes.pairs);
    let at_rest = match sizes.settled {
        0 => None,
        n => {
            note(&format!("settling a pile of {}, to lay out {n} bodies", sizes.pile));
            Some(settled::scene(n, sizes.pile)?)
        }
    };
    note("measuring the CPU");
    let cpu = on_cpu(&batch, at_rest.as_ref(), sizes.settled_steps)?;
    let devices = match with_device {
        true => on_device(&batch, at_rest.as_ref(), sizes.settled_steps, &cpu),
        false => Vec::new(),
    };
    let rows: Vec<Value> = std::iter::once(cpu).chain(devices).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pairs": sizes.pairs,
        "threads": threads,
        "scene_steps": rates::STEPS,
        "settled_bodies": at_rest.as_ref().map_or(0, settled::n_moving),
        "settled_pile": sizes.pile,
        "backends": rows,
    }))
}

#[cfg(feature = "gpu")]
fn on_device(batch: &Batch, at_rest: Option<&Scene>, steps: usize, cpu: &Value) -> Vec<Value> {
    device::measure(batch, at_rest, steps, cpu)
}

#[cfg(not(feature = "gpu"))]
fn on_device(_: &Batch, _: Option<&Scene>, _: usize, _: &Value) -> Vec<Value> {
    note("this build knows no devices: only the CPU is measured");
    Vec::new()
}

/// Tells on stderr how far the measurement is.
fn note(text: &str) {
    eprintln!("note: {text}");
}

fn on_cpu(batch: &Batch, at_rest: Option<&Scene>, steps: usize) -> Result<Value, Error> {
    let n = batch.pairs.len();
    let copied = cpu_rates::copy_bandwidth();
    let mut row = Map::new();
    row.insert("backend".to_owned(), json!("cpu"));
    row.insert("copy_gigabytes_per_second".to_owned(), json!(copied / 1e9));
    for precision in [Precision::F32, Precision::F64] {
        let (blocks, product) = match precision {
            Precision::F32 => {
                (cpu_rates::blocks_per_second::<f32>(n), cpu_rates::product_bandwidth::<f32>(n))
            }
            Precision::F64 => {
                (cpu_rates::blocks_per_second::<f64>(n), cpu_rates::product_bandwidth::<f64>(n))
            }
        };
        let found = json!({
            // The twins do not fail.
            "pairs_per_second": rates::pairs_per_second(&Twin { precision }, batch).unwrap_or(f64::NAN),
            "jacobian_blocks_per_second": blocks,
            "product_gigabytes_per_second": product / 1e9,
            "product_share_of_copy": product / copied,
        });
        row.insert(precision.as_str().to_owned(), found);
    }
    row.insert("steps".to_owned(), rates::steps_per_second(None)?);
    if let Some(scene) = at_rest {
        row.insert("settled".to_owned(), settled::steps(scene, None, steps)?);
    }
    Ok(Value::Object(row))
}
