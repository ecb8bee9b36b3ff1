//! `[[measure]]`.

use super::measure_checks::{Known, check_cells, check_gravity};
use super::place::entry;
use super::raw::SceneFile;
use super::raw_grains::RegionEntry;
use super::raw_measures::{MeasureEntry, QuantityEntry, TableEntry};
use super::report::{Check, Report};
use super::{bodies, measures_of_grains as of_grains};
use crate::scene::definition::Scene;
use crate::scene::measure::{BODY_COLUMNS, CONTACT_COLUMNS, Measure, Profile, Quantity, Region};
use nalgebra::Vector3;
use std::collections::HashMap;

/// Longest name, which is part of a file name.
const LONGEST_NAME: usize = 100;

/// All measures, their fields checked; `names` are those of the bodies.
pub fn measures(file: &SceneFile, names: &HashMap<String, usize>, report: &mut Report) -> Vec<Measure> {
    let mut known = Known {
        names: names.keys().map(String::as_str).collect(),
        coming: file.inlet.iter().map(|inlet| format!("{}-0", inlet.name)).collect(),
        gravity: file.simulation.gravity.into(),
        has_outlets: !file.outlet.is_empty(),
    };
    if !file.measure.is_empty() {
        known.names.sort_unstable();
    }
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
        let quantity = quantity(&e.quantity, &known, &mut check);
        found.push(Measure { name: e.name.clone(), every: e.every, quantity });
    }
    found
}

/// A quantity, its fields checked.
pub fn quantity(e: &QuantityEntry, known: &Known<'_>, check: &mut Check) -> Quantity {
    match e {
        QuantityEntry::Flow { normal, offset, within } => Quantity::Flow {
            normal: check.direction("quantity.normal", *normal),
            offset: check.finite("quantity.offset", *offset),
            within: within.as_ref().map(|r| region(r, "quantity.within.", check)),
        },
        QuantityEntry::Region { min, max, cells } => {
            cells.iter().for_each(|n| check_cells(*n, check));
            let region = region(&RegionEntry { min: *min, max: *max }, "quantity.", check);
            Quantity::Region { region, cells: *cells }
        }
        QuantityEntry::Poses {} => {
            check_gravity("poses", "nothing lies without gravity", known, check);
            Quantity::Poses
        }
        QuantityEntry::Energy {} => Quantity::Energy,
        QuantityEntry::Forces {} => Quantity::Forces,
        QuantityEntry::Body { body } => {
            if known.names.binary_search(&body.as_str()).is_err() {
                check.unknown("quantity.body", body, "body", &known.names);
            }
            Quantity::Body(body.clone())
        }
        QuantityEntry::Residence {} => {
            if !known.has_outlets {
                let allowed = "the scene has no [[outlet]] by which a body could leave";
                check.fault("quantity.type", "\"residence\"", allowed);
            }
            Quantity::Residence
        }
        QuantityEntry::Field { region, cells } => Quantity::Field(of_grains::cells(region, *cells, check)),
        QuantityEntry::Mixing { region, cells, kinds } => Quantity::Mixing {
            cells: of_grains::cells(region, *cells, check),
            kinds: of_grains::kinds(kinds, known, check),
        },
        QuantityEntry::Angle { center, radius, strips, axis } => {
            let axis = axis.map(Vector3::from);
            let written = Profile { center: (*center).into(), radius: *radius, strips: *strips, axis };
            Quantity::Angle(of_grains::profile(&written, known, check))
        }
        QuantityEntry::Group { bodies, about } => Quantity::Group {
            bodies: of_grains::group(bodies, known, check),
            about: check.vector("quantity.about", *about),
        },
        QuantityEntry::Bodies(written) => {
            Quantity::Bodies(of_grains::choice(&written.choice(), &BODY_COLUMNS, known, check))
        }
        QuantityEntry::Contacts(written) => {
            Quantity::Contacts(of_grains::choice(&written.choice(), &CONTACT_COLUMNS, known, check))
        }
        QuantityEntry::Wear { bodies } => Quantity::Wear { bodies: of_grains::group(bodies, known, check) },
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
            Quantity::Field(cells) => {
                QuantityEntry::Field { region: of_grains::region_of(cells), cells: cells.counts }
            }
            Quantity::Mixing { cells, kinds } => QuantityEntry::Mixing {
                region: of_grains::region_of(cells),
                cells: cells.counts,
                kinds: kinds.clone(),
            },
            Quantity::Angle(profile) => QuantityEntry::Angle {
                center: profile.center.into(),
                radius: profile.radius,
                strips: profile.strips,
                axis: profile.axis.map(Into::into),
            },
            Quantity::Group { bodies, about } => {
                QuantityEntry::Group { bodies: bodies.clone(), about: (*about).into() }
            }
            Quantity::Bodies(choice) => QuantityEntry::Bodies(TableEntry::of(choice)),
            Quantity::Contacts(choice) => QuantityEntry::Contacts(TableEntry::of(choice)),
            Quantity::Wear { bodies } => QuantityEntry::Wear { bodies: bodies.clone() },
        },
    };
    scene.measures.iter().map(entry).collect()
}
