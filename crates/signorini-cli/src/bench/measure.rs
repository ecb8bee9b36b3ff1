//! All measurements: passes of the flat step, and whole steps, on the cores and on a chip. Sizes that do not
//! fit the time are left out, and the report says so.

use super::budget::{Budget, Forecast};
use super::granular_bed::{self, SHAPES};
use super::{copy, flat_rates};
use crate::backend::Chip;
use crate::console::print_error;
use serde_json::{Value, json};
use signorini_backend::Backend;
use signorini_scene::scene::Scene;
use std::sync::Arc;

/// Part of the time by which solves of lattices end.
const SOLVES: f64 = 0.28;
/// Part of the time that a granular bed may take.
const OF_A_BED: f64 = 0.18;
/// Part of the time in which a granular bed comes to rest.
const TO_REST: f64 = 0.03;
/// Numbers of contacts of the lattices.
const CONTACTS: [usize; 4] = [3000, 30_000, 300_000, 3_000_000];
/// Numbers of bodies of the beds.
const BODIES: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];

/// Processor that is measured.
struct Candidate {
    /// None: the cores.
    device: Option<Arc<dyn Backend>>,
    /// Bytes per second of a copy.
    copied: f64,
}

impl Candidate {
    fn name(&self) -> &'static str {
        if self.device.is_some() { "device" } else { "cpu" }
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

/// Measures the cores, and a chip beside them, in about so many seconds.
pub fn measure(chip: Option<&Chip>, seconds: f64) -> Value {
    let mut candidates = vec![Candidate { device: None, copied: copy::bandwidth() }];
    if let Some(chip) = chip {
        candidates.push(Candidate { device: Some(Arc::clone(&chip.backend)), copied: chip.copied });
    }
    // Where time is short the chip comes first: its numbers are the ones that are not known yet.
    if chip.is_some_and(|chip| !chip.is_software) {
        candidates.reverse();
    }
    let budget = Budget::new(seconds);
    let flat = flat(&candidates, &budget);
    let steps = steps(&candidates, &budget);
    let copied = |c: &Candidate| c.row(json!({ "gigabytes_per_second": c.copied / 1e9 }));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads_count": rayon::current_num_threads(),
        "adapter": chip.map(adapter),
        "copy": candidates.iter().map(copied).collect::<Vec<_>>(),
        "flat": flat,
        "steps": steps,
        "time_limit_seconds": seconds,
        "taken_seconds": budget.taken(),
    })
}

fn adapter(chip: &Chip) -> Value {
    let facts = chip.facts.iter().map(|(name, fact)| ((*name).to_owned(), json!(fact)));
    let mut found: serde_json::Map<_, _> = facts.collect();
    found.insert("is_software".to_owned(), json!(chip.is_software));
    found.insert("largest_binding_bytes".to_owned(), json!(chip.largest_binding));
    Value::Object(found)
}

fn flat(candidates: &[Candidate], budget: &Budget) -> Vec<Value> {
    let mut forecasts: Vec<Forecast> = candidates.iter().map(|_| Forecast::default()).collect();
    let mut rows = Vec::new();
    for n in CONTACTS {
        let left = || budget.left_of(SOLVES);
        let mut lattice = None;
        for (candidate, forecast) in candidates.iter().zip(&mut forecasts) {
            let what = format!("a solve of {n} contacts, {}", candidate.name());
            if let Some(why) = forecast.refusal(n, left()) {
                note(&format!("{what}: skipped: {why}"));
                rows.push(candidate.row(json!({ "lattice": n, "skipped": why })));
                continue;
            }
            note(&what);
            let start = budget.taken();
            let lattice = lattice.get_or_insert_with(|| flat_rates::Lattice::new(n));
            let mut found = match &candidate.device {
                Some(device) => flat_rates::on_device(lattice, &**device),
                None => flat_rates::on_cpu(lattice),
            };
            found["lattice"] = json!(n);
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
        let by = if shape == SHAPES[0].0 { budget.taken() + 0.5 * budget.left() } else { budget.total() };
        match granular_bed::settle(text, TO_REST * budget.total()) {
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
            let left = (by - budget.taken()).clamp(0.0, OF_A_BED * budget.total());
            let what = format!("{n} {shape}, {}", candidate.name());
            let mut found = if let Some(why) = forecast.refusal(n, left) {
                note(&format!("steps of {what}: skipped: {why}"));
                json!({ "skipped": why })
            } else {
                note(&format!("steps of {what}"));
                match granular_bed::steps(granular_bed::tile(small, n), candidate.device.clone(), left) {
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

/// Tells on stderr how far the measurement is.
fn note(text: &str) {
    print_error(&format!("note: {text}"));
}
