//! `[[fill]]`: many bodies at random places.

use super::bodies;
use super::friction::Materials;
use super::grains::GrainFields;
use super::limits::MAX_BODIES;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_defaults::upwards;
use super::raw_grains::{FillEntry, FillRegionEntry};
use super::report::{Check, Report};
use super::shapes::Meshes;
use super::tubes::TubeFields;
use crate::scene::body::Body;
use crate::scene::form::Form;
use crate::scene::grains::{CLEARANCE, Grains};
use crate::scene::packing::{self, Region, Room};
use crate::scene::start;
use nalgebra::Vector3;
use signorini_geometry::{PeriodicBox, Pose};

/// A checked fill.
#[derive(Debug)]
pub struct Fill {
    /// First part of the bodies' names, before their numbers.
    pub name: String,
    /// Number of bodies.
    pub count: usize,
    index: usize,
    region: Region,
    grains: Grains,
}

impl Fill {
    /// Name of the k-th body.
    pub fn body_name(&self, k: usize) -> String {
        format!("{}-{k}", self.name)
    }
}

/// All fills, their fields checked.
pub fn fills(
    file: &SceneFile,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Vec<Fill> {
    let fills = file.fill.iter().enumerate();
    fills.map(|(index, e)| check(index, e, materials, meshes, report)).collect()
}

/// One `[[fill]]`, its fields checked.
fn check(
    index: usize,
    e: &FillEntry,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Fill {
    let mut check = report.at(entry("fill", index, &e.name));
    check.name("name", &e.name);
    let mut count = usize::try_from(e.count).unwrap_or(usize::MAX);
    if count == 0 || count > MAX_BODIES {
        check.fault("count", e.count, format!("must be 1 to {MAX_BODIES}"));
        count = 0;
    }
    let region = region_at("region", &e.region, &mut check);
    let grains = GrainFields::from(e).check("a fill", materials, meshes, &mut check);
    Fill { name: e.name.clone(), count, index, region, grains }
}

/// The region at a field, checked.
pub fn region_at(field: &str, e: &FillRegionEntry, check: &mut Check) -> Region {
    let is_round = [
        e.center.is_some(),
        e.axis.is_some(),
        e.radius.is_some(),
        e.length.is_some(),
        e.inner_radius.is_some(),
    ];
    match (e.min, e.max, e.center, e.radius, e.length) {
        (Some(min), Some(max), ..) if !is_round.contains(&true) => {
            let corners = bodies::region(min, max, &format!("{field}.min"), &format!("{field}.max"), check);
            let (low, high) = corners.unwrap_or((Vector3::zeros(), Vector3::repeat(1.0)));
            Region::Box { low, high }
        }
        (None, None, Some(center), Some(radius), Some(length)) => {
            let axis = e.axis.unwrap_or(upwards());
            let inner_radius = e.inner_radius.unwrap_or(0.0);
            Region::Tube(TubeFields { center, axis, radius, length, inner_radius }.check(field, check))
        }
        _ => {
            let allowed = "give min and max of a box, or center, radius and length of a cylinder";
            check.fault(field, "unclear", allowed);
            Region::Box { low: Vector3::zeros(), high: Vector3::repeat(1.0) }
        }
    }
}

/// Draws the bodies of a fill, places them and appends them; a fault when they don't fit.
pub fn place(
    fill: &Fill,
    seed: u64,
    bodies: &mut Vec<Body>,
    periodic: Option<&PeriodicBox>,
    report: &mut Report,
) {
    let mut draw = packing::RandomStream::new(seed, fill.index as u64);
    let one = |_| {
        let (place, factor) = fill.grains.draw(&mut draw);
        fill.grains.form(place, factor)
    };
    let forms: Vec<Form> = (0..fill.count).map(one).collect();
    let smallest = forms.iter().filter_map(Form::size).fold(f64::INFINITY, f64::min);
    let room = Room {
        region: fill.region,
        clearance: fill.grains.clearance.unwrap_or(CLEARANCE * smallest),
        random_orientations: fill.grains.random_orientations,
    };
    let mut others: Vec<_> = bodies.iter().flat_map(start::placed).collect();
    let [low, high] = fill.region.corners();
    if let Some(periodic) = periodic {
        for (axis, length) in periodic.lengths() {
            let long = high[axis] - low[axis];
            if long > length * (1.0 + 1e-9) {
                let allowed = format!("is {long} m long where the periodic box is {length} m");
                report.at(entry("fill", fill.index, &fill.name)).fault("region", "too large", allowed);
                return;
            }
        }
        others = start::images_in(&others, periodic, [low, high]);
    }
    if let Region::Tube(tube) = &fill.region {
        others.extend(tube.core());
    }
    match packing::pack(&forms, &room, &others, &mut draw) {
        Ok(grains) => {
            for (k, (grain, form)) in grains.into_iter().zip(&forms).enumerate() {
                let pose = Pose { position: grain.position, orientation: grain.orientation };
                bodies.push(fill.grains.body(fill.body_name(k), form, pose));
            }
        }
        Err(fitted) => {
            let allowed = format!(
                "only {fitted} of these bodies were placed in the region without overlap: enlarge it or lower count"
            );
            report.at(entry("fill", fill.index, &fill.name)).fault("count", fill.count, allowed);
        }
    }
}
