//! `[[measure]]`.

use super::bodies;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_grains::RegionEntry;
use super::raw_measures::{MeasureEntry, QuantityEntry};
use super::report::{Check, Report};
use crate::scene::definition::Scene;
use crate::scene::measure::{Measure, Quantity, Region};
use nalgebra::Vector3;
use std::collections::HashMap;

/// Longest name, which is part of a file name.
const LONGEST_NAME: usize = 100;

/// Most cells of a grid.
const MAX_CELLS: usize = 100_000;

/// All measures, their fields checked; `names` are those of the bodies.
pub fn measures(file: &SceneFile, names: &HashMap<String, usize>, report: &mut Report) -> Vec<Measure> {
    let mut found: Vec<Measure> = Vec::new();
    for (index, e) in file.measure.iter().enumerate() {
        let mut check = report.at(entry("measure", index, &e.name));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if e.name.is_empty() || e.name.len() > LONGEST_NAME || !e.name.chars().all(is_plain) {
            let allowed = format!("must be 1 to {LONGEST_NAME} letters, digits, - and _: it names a file");
            check.fault("name", format!("{:?}", e.name), allowed);
        }
        // Some systems take names of files that differ in case only for one name.
        if found.iter().any(|other| other.name.eq_ignore_ascii_case(&e.name)) {
            check.fault("name", format!("{:?}", e.name), "must be unique among the measures");
        }
        let step = file.simulation.time_step;
        if let Some(every) = e.every {
            let every = check.positive("every", every);
            if every < 0.5 * step {
                let allowed = format!("must be at least the step ({step:?} s)");
                check.fault("every", format!("{every:?}"), allowed);
            }
        }
        let quantity = quantity(e, file, names, &mut check);
        found.push(Measure { name: e.name.clone(), every: e.every, quantity });
    }
    found
}

fn quantity(
    e: &MeasureEntry,
    file: &SceneFile,
    names: &HashMap<String, usize>,
    check: &mut Check,
) -> Quantity {
    match &e.quantity {
        QuantityEntry::Flow { normal, offset, within } => Quantity::Flow {
            normal: check.direction("quantity.normal", *normal),
            offset: check.finite("quantity.offset", *offset),
            within: within.as_ref().map(|r| region(r, "quantity.within.", check)),
        },
        QuantityEntry::Region { min, max, cells } => {
            if let Some(n) = cells.filter(|n| !(1..=MAX_CELLS).contains(&n.iter().product::<usize>())) {
                let allowed = format!("must be at least 1 along each axis, and {MAX_CELLS} in all at most");
                check.fault("quantity.cells", format!("{n:?}"), allowed);
            }
            let region = region(&RegionEntry { min: *min, max: *max }, "quantity.", check);
            Quantity::Region { region, cells: *cells }
        }
        QuantityEntry::Poses {} => {
            if file.simulation.gravity == [0.0; 3] {
                check.fault("quantity.type", "\"poses\"", "nothing lies without gravity");
            }
            Quantity::Poses
        }
        QuantityEntry::Energy {} => Quantity::Energy,
        QuantityEntry::Forces {} => Quantity::Forces,
        QuantityEntry::Body { body } => {
            if !names.contains_key(body) {
                let mut known: Vec<&str> = names.keys().map(String::as_str).collect();
                known.sort_unstable();
                check.unknown("quantity.body", body, "body", &known);
            }
            Quantity::Body(body.clone())
        }
        QuantityEntry::Residence {} => {
            if file.outlet.is_empty() {
                let allowed = "the scene has no [[outlet]] by which a body could leave";
                check.fault("quantity.type", "\"residence\"", allowed);
            }
            Quantity::Residence
        }
    }
}

fn region(e: &RegionEntry, field: &str, check: &mut Check) -> Region {
    let corners = bodies::region(e.min, e.max, &format!("{field}min"), &format!("{field}max"), check);
    let (low, high) = corners.unwrap_or((Vector3::zeros(), Vector3::repeat(1.0)));
    Region { low, high }
}

/// The entries of a scene's measures.
pub fn measures_of(scene: &Scene) -> Vec<MeasureEntry> {
    let corners = |r: &Region| RegionEntry { min: r.low.into(), max: r.high.into() };
    let entry = |measure: &Measure| MeasureEntry {
        name: measure.name.clone(),
        every: measure.every,
        quantity: match &measure.quantity {
            Quantity::Flow { normal, offset, within } => QuantityEntry::Flow {
                normal: (*normal).into(),
                offset: *offset,
                within: within.as_ref().map(corners),
            },
            Quantity::Region { region, cells } => {
                QuantityEntry::Region { min: region.low.into(), max: region.high.into(), cells: *cells }
            }
            Quantity::Poses => QuantityEntry::Poses {},
            Quantity::Energy => QuantityEntry::Energy {},
            Quantity::Forces => QuantityEntry::Forces {},
            Quantity::Body(body) => QuantityEntry::Body { body: body.clone() },
            Quantity::Residence => QuantityEntry::Residence {},
        },
    };
    scene.measures.iter().map(entry).collect()
}
