//! `[[inlet]]` and `[[outlet]]`.

use super::bodies;
use super::friction::Materials;
use super::grains::{GrainFields, scale_of, shapes_of};
use super::periodic;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_flow::{InletEntry, InletRegionEntry, OutletEntry, OutletRegionEntry};
use super::report::{Check, Report};
use super::shapes::Meshes;
use super::tubes::TubeFields;
use crate::scene::body::Body;
use crate::scene::definition::Scene;
use crate::scene::inlet::{Demand, Inlet, InletRegion};
use crate::scene::outlet::{Outlet, OutletRegion};
use crate::scene::overlap::{Placed, apart};
use crate::scene::start;
use nalgebra::Vector3;
use signorini_error::counted;

/// Places tried before a region counts as having no room for ever.
const TRIES: usize = 3000;

/// All inlets, their fields checked.
pub fn inlets(
    file: &SceneFile,
    materials: &mut Materials,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Vec<Inlet> {
    let mut found: Vec<Inlet> = Vec::new();
    for (index, e) in file.inlet.iter().enumerate() {
        let mut check = report.at(entry("inlet", index, &e.name));
        check.name("name", &e.name);
        if found.iter().any(|other| other.name == e.name) {
            check.fault("name", format!("{:?}", e.name), "must be unique among the inlets");
        }
        let region = inlet_region(&e.region, &mut check);
        check.not_negative("from", e.from);
        if let Some(to) = e.to.filter(|to| !(*to > e.from && to.is_finite())) {
            check.fault("to", format!("{to:?}"), format!("must be after from = {:?}", e.from));
        }
        found.push(Inlet {
            name: e.name.clone(),
            region,
            from: e.from,
            to: e.to,
            demand: demand(e, &mut check),
            total: e.total,
            grains: GrainFields::from(e).check("an inlet", materials, meshes, &mut check),
        });
    }
    found
}

fn demand(e: &InletEntry, check: &mut Check) -> Demand {
    if e.total == Some(0) {
        check.fault("total", 0, "must be at least 1");
    }
    match (e.rate, e.mass_rate) {
        (Some(rate), None) => Demand::Bodies(check.positive("rate", rate)),
        (None, Some(rate)) => Demand::Mass(check.positive("mass_rate", rate)),
        (Some(_), Some(rate)) => {
            check.fault("mass_rate", format!("{rate:?}"), "give either `rate` or `mass_rate`");
            Demand::AtOnce
        }
        (None, None) => {
            if e.total.is_none() {
                check.fault("rate", "absent", "give `rate`, `mass_rate` or `total`");
            }
            Demand::AtOnce
        }
    }
}

fn inlet_region(e: &InletRegionEntry, check: &mut Check) -> InletRegion {
    match e {
        InletRegionEntry::Box { min, max } => {
            let corners = bodies::region(*min, *max, "region.min", "region.max", check);
            let (low, high) = corners.unwrap_or((Vector3::zeros(), Vector3::repeat(1.0)));
            InletRegion::Box { low, high }
        }
        InletRegionEntry::Cylinder { center, axis, radius, length, inner_radius } => {
            let (center, axis) = (*center, *axis);
            let fields =
                TubeFields { center, axis, radius: *radius, length: *length, inner_radius: *inner_radius };
            InletRegion::Tube(fields.check("region", check))
        }
        InletRegionEntry::Disc { center, normal, radius } => InletRegion::Ring {
            center: check.vector("region.center", *center),
            normal: check.direction("region.normal", *normal),
            inner: 0.0,
            outer: check.positive("region.radius", *radius),
        },
        InletRegionEntry::Ring { center, normal, inner_radius, outer_radius } => {
            let inner = check.not_negative("region.inner_radius", *inner_radius);
            let outer = check.positive("region.outer_radius", *outer_radius);
            if outer <= inner {
                let allowed = format!("must be above inner_radius = {inner_radius:?}");
                check.fault("region.outer_radius", format!("{outer_radius:?}"), allowed);
            }
            InletRegion::Ring {
                center: check.vector("region.center", *center),
                normal: check.direction("region.normal", *normal),
                inner,
                outer,
            }
        }
    }
}

/// All outlets, their fields checked.
pub fn outlets(file: &SceneFile, report: &mut Report) -> Vec<Outlet> {
    let mut found: Vec<Outlet> = Vec::new();
    for (index, e) in file.outlet.iter().enumerate() {
        let mut check = report.at(entry("outlet", index, &e.name));
        check.name("name", &e.name);
        let is_taken = |name: &String| *name == e.name;
        if found.iter().map(|o| &o.name).any(is_taken) || file.inlet.iter().map(|i| &i.name).any(is_taken) {
            let allowed = "must be unique among the inlets and outlets";
            check.fault("name", format!("{:?}", e.name), allowed);
        }
        let region = match e.region {
            OutletRegionEntry::HalfSpace { normal, offset } => OutletRegion::HalfSpace {
                normal: check.direction("region.normal", normal),
                offset: check.finite("region.offset", offset),
            },
            OutletRegionEntry::Box { min, max } => {
                let corners = bodies::region(min, max, "region.min", "region.max", &mut check);
                let (low, high) = corners.unwrap_or((Vector3::zeros(), Vector3::repeat(1.0)));
                OutletRegion::Box { low, high }
            }
            OutletRegionEntry::Below { height } => OutletRegion::HalfSpace {
                normal: Vector3::z(),
                offset: check.finite("region.height", height),
            },
        };
        found.push(Outlet { name: e.name.clone(), region });
    }
    found
}

/// Faults of bodies of the scene with a name that an inlet gives.
pub fn check_names<'a>(inlets: &[Inlet], names: impl Iterator<Item = &'a String>, report: &mut Report) {
    let names: Vec<&String> = names.collect();
    for (index, inlet) in inlets.iter().enumerate() {
        if let Some(name) = names.iter().filter(|name| inlet.number_of(name).is_some()).min() {
            let value = format!("{:?}", inlet.name);
            let allowed = format!("gives its bodies names such as {name:?}, which a body has already");
            report.at(entry("inlet", index, &inlet.name)).fault("name", value, allowed);
        }
    }
}

/// Faults of inlets without room for their largest body beside the bodies that never move, of outlets that
/// take everything, and of planes that cut a periodic box.
pub fn check_places(scene: &Scene, report: &mut Report) {
    periodic::check_planes(scene, report);
    let Scene { inlets, outlets, bodies, .. } = scene;
    let is_still = |(id, body): &(usize, &Body)| body.fixed && !scene.is_carried(*id);
    let still: Vec<Placed> =
        bodies.iter().enumerate().filter(is_still).flat_map(|(_, body)| start::placed(body)).collect();
    for (index, inlet) in inlets.iter().enumerate() {
        let mut check = report.at(entry("inlet", index, &inlet.name));
        if !inlet.grains.shapes.iter().enumerate().all(|(place, _)| has_room(inlet, place, &still)) {
            let allowed =
                "has no room for the largest body, ever: enlarge it, or move it away from what is fixed";
            check.fault("region", "too small", allowed);
        }
        let corners = inlet.region.corners();
        if let Some(outlet) = outlets.iter().find(|outlet| outlet.region.holds(&corners)) {
            let allowed = format!("is in outlet {:?}: every body would leave at once", outlet.name);
            check.fault("region", "nowhere to stay", allowed);
        }
    }
    let moving = bodies.iter().filter(|body| !body.fixed);
    let starts: Vec<Vector3<f64>> = moving.map(|body| body.pose.position).collect();
    if !inlets.is_empty() {
        return;
    }
    for (index, outlet) in outlets.iter().enumerate() {
        if starts.iter().all(|start| outlet.region.contains(start)) {
            let allowed = format!(
                "holds all that can move ({}): they would leave at once",
                counted(starts.len(), "body")
            );
            report.at(entry("outlet", index, &outlet.name)).fault("region", "everything", allowed);
        }
    }
}

/// Whether the largest body of a shape finds a place.
fn has_room(inlet: &Inlet, place: usize, still: &[Placed]) -> bool {
    let [_, factor] = inlet.grains.sizes.extremes(&inlet.grains.shapes[place].0);
    let form = inlet.grains.form(place, factor);
    let clearance = inlet.grains.clearance_of(&form);
    let mut draw = Inlet::places(0, 0, 0, 0);
    (0..TRIES).any(|_| {
        let orientation = inlet.orientation(&mut draw);
        let Some(pose) = inlet.region.place(&form, orientation, &mut draw) else { return false };
        let parts = form.placed(&pose);
        still.iter().all(|other| parts.iter().all(|part| apart(other, part, clearance)))
    })
}

/// The entries of a scene's inlets.
pub fn inlets_of(scene: &Scene) -> Vec<InletEntry> {
    let entry = |inlet: &Inlet| {
        let (grains, demand) = (&inlet.grains, inlet.demand);
        InletEntry {
            name: inlet.name.clone(),
            region: match &inlet.region {
                InletRegion::Box { low, high } => {
                    InletRegionEntry::Box { min: (*low).into(), max: (*high).into() }
                }
                InletRegion::Tube(tube) => InletRegionEntry::Cylinder {
                    center: tube.center.into(),
                    axis: tube.axis.into(),
                    radius: tube.outer,
                    length: 2.0 * tube.half_length,
                    inner_radius: tube.inner,
                },
                InletRegion::Ring { center, normal, inner, outer } => InletRegionEntry::Ring {
                    center: (*center).into(),
                    normal: (*normal).into(),
                    inner_radius: *inner,
                    outer_radius: *outer,
                },
            },
            from: inlet.from,
            to: inlet.to,
            rate: if let Demand::Bodies(rate) = demand { Some(rate) } else { None },
            mass_rate: if let Demand::Mass(rate) = demand { Some(rate) } else { None },
            total: inlet.total,
            density: grains.density,
            material: scene.friction.materials[grains.material].clone(),
            random_orientations: grains.random_orientations,
            velocity: grains.velocity.linear.into(),
            angular_velocity: grains.velocity.angular.into(),
            clearance: grains.clearance,
            shape: None,
            shapes: shapes_of(grains),
            scale: scale_of(&grains.sizes),
        }
    };
    scene.inlets.iter().map(entry).collect()
}

/// The entries of a scene's outlets.
pub fn outlets_of(scene: &Scene) -> Vec<OutletEntry> {
    let entry = |outlet: &Outlet| OutletEntry {
        name: outlet.name.clone(),
        region: match &outlet.region {
            OutletRegion::HalfSpace { normal, offset } => {
                OutletRegionEntry::HalfSpace { normal: (*normal).into(), offset: *offset }
            }
            OutletRegion::Box { low, high } => {
                OutletRegionEntry::Box { min: (*low).into(), max: (*high).into() }
            }
        },
    };
    scene.outlets.iter().map(entry).collect()
}
