//! Gain of a device, in one report that needs no files: the flat step's passes, and whole steps beside the
//! CPU. Sizes that do not fit the time are skipped, and the report says so.

use super::budget::{Budget, Forecast};
use super::granular_bed::{self, SHAPES};
use super::{copy, flat_rates, note};
use serde_json::{Value, json};
use signorini_backend::gpu::bandwidth::copy_bandwidth;
use signorini_backend::gpu::{Device, GpuFlat};
use signorini_backend::{Backend, Fault};
use signorini_scene::scene::Scene;
use std::sync::Arc;

/// Longest time of the whole measurement, about (s).
const TOTAL_SECONDS: f64 = 420.0;
/// Time by which solves of lattices end (s).
const SOLVES_END: f64 = 120.0;
/// Longest time for a granular bed (s).
const SECONDS_PER_BED: f64 = 75.0;
/// Numbers of contacts of the lattices.
const CONTACTS: [usize; 4] = [3000, 30_000, 300_000, 3_000_000];
/// Numbers of bodies of the beds.
const BODIES: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];

/// Processor that is measured.
struct Candidate {
    gpu: Option<Arc<GpuFlat>>,
    /// Bytes per second of a copy.
    copied: f64,
}

impl Candidate {
    fn name(&self) -> &'static str {
        if self.gpu.is_some() { "device" } else { "cpu" }
    }

    fn backend(&self) -> Option<Arc<dyn Backend>> {
        self.gpu.as_ref().map(|gpu| Arc::clone(gpu) as Arc<dyn Backend>)
    }

    /// Returns the results with the name of the processor.
    fn row(&self, found: Value) -> Value {
        let mut row = json!({ "backend": self.name() });
        if let (Value::Object(row), Value::Object(found)) = (&mut row, found) {
            row.extend(found);
        }
        row
    }
}

/// Measures the best device beside the CPU.
pub fn measure() -> Value {
    let budget = Budget::new(TOTAL_SECONDS);
    let device = Device::best().map(Arc::new);
    let mut candidates = vec![Candidate { gpu: None, copied: copy::bandwidth() }];
    let mut refused = None;
    if let Ok(device) = &device {
        let copied = copy_bandwidth(device).unwrap_or(f64::NAN);
        match GpuFlat::new(Arc::clone(device)) {
            Ok(gpu) => candidates.push(Candidate { gpu: Some(Arc::new(gpu)), copied }),
            Err(fault) => refused = Some(fault.to_string()),
        }
    }
    let software = device.as_ref().is_ok_and(|device| device.is_software());
    // Where time is short the chip comes first: its numbers are the ones that are not known yet.
    if !software {
        candidates.reverse();
    }
    let flat = flat(&candidates, &budget);
    let steps = steps(&candidates, &budget);
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads_count": std::thread::available_parallelism().map_or(1, usize::from),
        "adapter": device.as_ref().ok().map(|device| adapter(device)),
        "no_device": device.as_ref().err().map(Fault::to_string),
        "refused": refused,
        "copy": candidates.iter().map(|c| c.row(json!({ "gigabytes_per_second": c.copied / 1e9 }))).collect::<Vec<_>>(),
        "flat": flat,
        "steps": steps,
        "time_limit_seconds": TOTAL_SECONDS,
        "taken_seconds": budget.taken(),
    })
}

fn adapter(device: &Device) -> Value {
    let facts = device.facts().iter().map(|(name, fact)| ((*name).to_owned(), json!(fact)));
    let mut found: serde_json::Map<_, _> = facts.collect();
    found.insert("is_software".to_owned(), json!(device.is_software()));
    found.insert("largest_binding_bytes".to_owned(), json!(device.largest_binding()));
    Value::Object(found)
}

fn flat(candidates: &[Candidate], budget: &Budget) -> Vec<Value> {
    let mut forecasts: Vec<Forecast> = candidates.iter().map(|_| Forecast::default()).collect();
    let mut rows = Vec::new();
    for n in CONTACTS {
        let left = || (SOLVES_END - budget.taken()).max(0.0);
        let mut lattice = None;
        for (candidate, forecast) in candidates.iter().zip(&mut forecasts) {
            let flat = candidate.gpu.as_ref().map(|gpu| gpu.flat());
            let what = format!("a solve of {n} contacts, {}", candidate.name());
            if let Some(why) = forecast.refusal(n, left()) {
                note(&format!("{what}: skipped: {why}"));
                rows.push(candidate.row(json!({ "contacts_count": n, "skipped": why })));
                continue;
            }
            note(&what);
            let start = budget.taken();
            let lattice = lattice.get_or_insert_with(|| flat_rates::Lattice::new(n));
            let mut found = match flat {
                Some(device) => flat_rates::on_device(lattice, &device),
                None => flat_rates::on_cpu(lattice),
            };
            let fault = candidate.gpu.as_ref().and_then(|gpu| gpu.take_fault());
            found["fell_back_to_the_cpu"] = json!(fault.map(|fault| fault.to_string()));
            rows.push(candidate.row(found));
            forecast.record(n, budget.taken() - start);
        }
    }
    rows
}

fn steps(candidates: &[Candidate], budget: &Budget) -> Vec<Value> {
    let mut rows = Vec::new();
    for (shape, text) in SHAPES {
        note(&format!("a bed of {shape} comes to rest"));
        // The first half of the time left is that of the first shape.
        let by = if shape == SHAPES[0].0 {
            budget.taken() + 0.5 * budget.left(TOTAL_SECONDS)
        } else {
            TOTAL_SECONDS
        };
        match granular_bed::settle(text) {
            Ok(small) => rows.extend(steps_of(shape, &small, candidates, budget, by)),
            Err(error) => rows.push(json!({ "shape": shape, "failed": error.to_string() })),
        }
    }
    rows
}

fn steps_of(shape: &str, small: &Scene, candidates: &[Candidate], budget: &Budget, by: f64) -> Vec<Value> {
    let mut forecasts: Vec<Forecast> = candidates.iter().map(|_| Forecast::default()).collect();
    let mut rows = Vec::new();
    for n in BODIES {
        for (candidate, forecast) in candidates.iter().zip(&mut forecasts) {
            let left = (by - budget.taken()).clamp(0.0, SECONDS_PER_BED);
            let what = format!("{n} {shape}, {}", candidate.name());
            let mut found = if let Some(why) = forecast.refusal(n, left) {
                note(&format!("steps of {what}: skipped: {why}"));
                json!({ "skipped": why })
            } else {
                note(&format!("steps of {what}"));
                match granular_bed::steps(granular_bed::tile(small, n), candidate.backend(), budget, left) {
                    Ok((found, seconds)) => {
                        forecast.record(n, seconds);
                        found
                    }
                    Err(error) => json!({ "failed": error.to_string() }),
                }
            };
            (found["shape"], found["bodies_count"]) = (json!(shape), json!(n));
            rows.push(candidate.row(found));
        }
    }
    rows
}
