//! Measures of many bodies: fields, mixing, angles of surfaces, forces on groups, thin tables.

use super::fill;
use super::measure_checks::{Known, check_cells, check_gravity};
use super::raw_grains::FillRegionEntry;
use super::report::Check;
use crate::scene::cells::{Cells, Space};
use crate::scene::measure::{Profile, Region, TableChoice};
use crate::scene::packing;
use nalgebra::Vector3;
use std::ops::RangeInclusive;

/// Strips into which a surface may be cut.
const STRIPS: RangeInclusive<usize> = 2..=10_000;

/// Largest sine of the angle between an axis and the level.
const LEVEL: f64 = 1e-6;

/// Significant digits that a table may have.
const DIGITS: RangeInclusive<u8> = 3..=17;

/// Cells of a region, checked.
pub fn cells(region: &FillRegionEntry, counts: [usize; 3], check: &mut Check) -> Cells {
    check_cells(counts, check);
    let space = match fill::region_at("quantity.region", region, check) {
        packing::Region::Box { low, high } => Space::Box(Region { low, high }),
        packing::Region::Tube(tube) => Space::Tube(tube),
    };
    Cells { space, counts: counts.map(|n| n.max(1)) }
}

/// Two kinds of bodies, checked.
pub fn kinds(kinds: &[String; 2], known: &Known<'_>, check: &mut Check) -> [String; 2] {
    check_names("quantity.kinds", kinds, known, check);
    if kinds[0] == kinds[1] {
        check.fault("quantity.kinds", format!("{kinds:?}"), "must be two kinds");
    }
    kinds.clone()
}

/// The profile of a surface by its numbers, with the axis as written, checked.
pub fn profile(written: &Profile, known: &Known<'_>, check: &mut Check) -> Profile {
    check_gravity("angle", "nothing slopes without gravity", known, check);
    if !STRIPS.contains(&written.strips) {
        let allowed = format!("must be {} to {}", STRIPS.start(), STRIPS.end());
        check.fault("quantity.strips", written.strips, allowed);
    }
    let axis = written.axis.map(|axis| check.direction("quantity.axis", axis.into()));
    if axis.is_some_and(|axis| known.gravity.normalize().dot(&axis).abs() > LEVEL) {
        let value = format!("{:?}", written.axis.map(<[f64; 3]>::from).unwrap_or_default());
        check.fault("quantity.axis", value, "must be level: square to gravity");
    }
    Profile {
        center: check.vector("quantity.center", written.center.into()),
        radius: check.positive("quantity.radius", written.radius),
        strips: written.strips,
        axis,
    }
}

/// The names of a group, checked.
pub fn group(bodies: &[String], known: &Known<'_>, check: &mut Check) -> Vec<String> {
    if bodies.is_empty() {
        check.fault("quantity.bodies", "[]", "must name at least one body");
    }
    check_names("quantity.bodies", bodies, known, check);
    bodies.to_vec()
}

fn check_names(field: &str, patterns: &[String], known: &Known<'_>, check: &mut Check) {
    for pattern in patterns.iter().filter(|pattern| !known.has(pattern)) {
        check.unknown(field, pattern, "body", &known.names);
    }
}

/// The choice of a thin table, checked; its columns are among those that are allowed.
pub fn choice(written: &TableChoice, allowed: &[&str], known: &Known<'_>, check: &mut Check) -> TableChoice {
    let TableChoice { bodies, columns, digits } = written;
    check_names("quantity.bodies", bodies, known, check);
    if columns.is_empty() {
        check.fault("quantity.columns", "[]", format!("must name some of {}", allowed.join(", ")));
    }
    for (place, column) in columns.iter().enumerate() {
        if !allowed.contains(&column.as_str()) {
            check.unknown("quantity.columns", column, "column", allowed);
        } else if columns[..place].contains(column) {
            check.fault("quantity.columns", format!("{column:?}"), "must be named once");
        }
    }
    if let Some(digits) = digits.filter(|digits| !DIGITS.contains(digits)) {
        let allowed = format!("must be {} to {}", DIGITS.start(), DIGITS.end());
        check.fault("quantity.digits", digits, allowed);
    }
    written.clone()
}

/// The entry of the space that cells fill.
pub fn region_of(cells: &Cells) -> FillRegionEntry {
    let write = |v: Vector3<f64>| Some(v.into());
    match &cells.space {
        Space::Box(region) => {
            FillRegionEntry { min: write(region.low), max: write(region.high), ..FillRegionEntry::default() }
        }
        Space::Tube(tube) => FillRegionEntry {
            center: write(tube.center),
            axis: write(tube.axis),
            radius: Some(tube.outer),
            length: Some(2.0 * tube.half_length),
            inner_radius: Some(tube.inner),
            ..FillRegionEntry::default()
        },
    }
}
