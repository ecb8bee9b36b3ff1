//! The command `signorini bench`: rates of the backends per second, side by side, as JSON.

#[cfg(feature = "gpu")]
mod budget;
mod chain;
mod cpu_rates;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod device_rates;
#[cfg(feature = "gpu")]
mod granular_bed;
mod rates;
mod settled;
#[cfg(feature = "gpu")]
mod sweep_rates;
#[cfg(feature = "gpu")]
mod whole;

use super::arguments::BenchOptions;
use super::console::{print_error, print_line};
use super::exit::{Failure, SUCCESS};
use serde_json::{Map, Value, json};
use signorini_backend::sample::sample_batch;
use signorini_backend::{Batch, Precision, Twin};
use signorini_error::Error;

/// Measures, prints, and writes the file if one is named.
pub fn bench(options: &BenchOptions) -> Result<u8, Failure> {
    #[cfg(feature = "gpu")]
    if options.device {
        return report(&whole::measure(), options);
    }
    #[cfg(not(feature = "gpu"))]
    if options.device {
        let allowed = "this build knows no devices: build it with the feature gpu".to_owned();
        return Err(Failure::Input(Error::Usage { what: "--device".to_owned(), allowed }));
    }
    let batch = sample_batch(options.pairs);
    let at_rest = match options.settled {
        0 => None,
        n => {
            print_error(&format!("note: settling a pile of {}, to lay out {n} bodies", options.pile));
            Some(settled::scene(n, options.pile).map_err(Failure::Input)?)
        }
    };
    print_error("note: measuring the CPU");
    let mut rows = vec![on_cpu(&batch, at_rest.as_ref(), options.settled_steps).map_err(Failure::Input)?];
    #[cfg(feature = "gpu")]
    rows.extend(device::measure(&batch, at_rest.as_ref(), options.settled_steps, &rows[0]));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pairs": options.pairs,
        "threads": threads,
        "scene_steps": rates::STEPS,
        "settled_bodies": at_rest.as_ref().map_or(0, settled::n_moving),
        "settled_pile": options.pile,
        "backends": rows,
    });
    report(&found, options)
}

/// Prints the results, and writes the file if one is named.
fn report(found: &Value, options: &BenchOptions) -> Result<u8, Failure> {
    let text = format!("{found:#}");
    print_line(&text);
    if let Some(path) = &options.json {
        std::fs::write(path, text + "\n")
            .map_err(|source| Failure::Other(Error::Io { path: path.clone(), source }))?;
    }
    Ok(SUCCESS)
}

fn on_cpu(
    batch: &Batch,
    at_rest: Option<&signorini_scene::scene::Scene>,
    steps: usize,
) -> Result<Value, Error> {
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
