//! `signorini bench`: what the backends do per second, side by side, as JSON.

#[cfg(feature = "gpu")]
mod device;
mod settled;

use super::arguments::BenchOptions;
use super::{Failure, SUCCESS, complain, say};
use crate::Error;
use crate::backend::sample::sample_batch;
use crate::backend::{Backend, Batch, Evaluated, Fault, Guarded, Precision, Twin, twin_rates};
use crate::scene::{LoadOptions, parse};
use crate::simulation::Simulation;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The scene whose steps are timed, and how many: the fall and the first impacts.
const SCENE: &str = include_str!("../../../scenes/granular/ellipsoids-64.toml");
const STEPS: usize = 45;
/// A measurement is repeated for about this long (s).
const PATIENCE: f64 = 1.0;

/// Measures, prints, and writes the file if one is named.
pub fn bench(options: &BenchOptions) -> Result<u8, Failure> {
    let batch = sample_batch(options.pairs);
    let at_rest = match options.settled {
        0 => None,
        n => {
            complain(&format!("note: settling a pile of {}, to lay out {n} bodies", options.pile));
            Some(settled::scene(n, options.pile).map_err(Failure::Input)?)
        }
    };
    complain("note: measuring the CPU");
    let mut rows = vec![on_cpu(&batch, at_rest.as_ref(), options.settled_steps).map_err(Failure::Input)?];
    #[cfg(feature = "gpu")]
    rows.extend(device::measure(&batch, at_rest.as_ref(), options.settled_steps, &rows[0]));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pairs": options.pairs,
        "threads": threads,
        "scene_steps": STEPS,
        "settled_bodies": at_rest.as_ref().map_or(0, settled::n_moving),
        "settled_pile": options.pile,
        "backends": rows,
    });
    let text = format!("{report:#}");
    say(&text);
    if let Some(path) = &options.json {
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
    simulation.judge_steps(false);
    if let Some(backend) = backend {
        simulation.use_backend(Guarded::new(backend))?;
    }
    let (mut seconds, mut worst, mut iterations) = (0.0, 0.0_f64, 0);
    for _ in 0..STEPS {
        let outcome = simulation.advance();
        seconds += outcome.solve_time.as_secs_f64();
        worst = worst.max(outcome.info.residual.max());
        iterations += outcome.info.iterations;
    }
    Ok(json!({
        "steps_per_second": STEPS as f64 / seconds,
        "worst_residual": worst,
        "solved": worst <= tolerance,
        "iterations": iterations,
    }))
}

fn on_cpu(batch: &Batch, at_rest: Option<&crate::scene::Scene>, steps: usize) -> Result<Value, Error> {
    let n = batch.pairs.len();
    let copied = twin_rates::copy_bandwidth();
    let mut row = Map::new();
    row.insert("backend".to_owned(), json!("cpu"));
    row.insert("copy_gigabytes_per_second".to_owned(), json!(copied / 1e9));
    for precision in [Precision::F32, Precision::F64] {
        let (blocks, product) = match precision {
            Precision::F32 => {
                (twin_rates::blocks_per_second::<f32>(n), twin_rates::product_bandwidth::<f32>(n))
            }
            Precision::F64 => {
                (twin_rates::blocks_per_second::<f64>(n), twin_rates::product_bandwidth::<f64>(n))
            }
        };
        let found = json!({
            // The twins do not fail.
            "pairs_per_second": pairs_per_second(&Twin { precision }, batch).unwrap_or(f64::NAN),
            "jacobian_blocks_per_second": blocks,
            "product_gigabytes_per_second": product / 1e9,
            "product_share_of_copy": product / copied,
        });
        row.insert(precision.as_str().to_owned(), found);
    }
    row.insert("steps".to_owned(), steps_per_second(None)?);
    if let Some(scene) = at_rest {
        row.insert("settled".to_owned(), settled::steps(scene, None, steps)?);
    }
    Ok(Value::Object(row))
}
