//! From the file's tables to a validated [`Scene`].

use super::bodies;
use super::body_table::{self, TableBodies};
use super::bowl;
use super::couplings;
use super::course_files;
use super::exclude;
use super::fill::{self, Fill};
use super::friction::{self, Materials};
use super::joints;
use super::limits::{MAX_BODIES, MAX_OVERLAPS};
use super::loads::loads;
use super::measures;
use super::motions;
use super::named::Named;
use super::options::LoadOptions;
use super::periodic;
use super::place::entry;
use super::ports;
use super::press;
use super::raw::{BodyEntry, SceneFile, SimulationEntry};
use super::report::Report;
use super::scene_folder::SceneFolder;
use super::sensors;
use super::servos;
use super::shapes::Meshes;
use super::simulation::{check_simulation, check_solver, overridden};
use super::springs;
use super::start_from;
use super::walls::{self, Wall};
use crate::scene::assemble::assemble;
use crate::scene::body::Body;
use crate::scene::bores;
use crate::scene::coupling::Coupling;
use crate::scene::definition::Scene;
use crate::scene::friction::FrictionTable;
use crate::scene::joint::{Control, Joint, joined_pairs};
use crate::scene::mortar_faces::mortar_joints;
use crate::scene::sensor::Sensor;
use crate::scene::servo::Servo;
use crate::scene::spring::Spring;
use crate::scene::start::{self, StartLimits};
use nalgebra::Vector3;
use signorini_error::{Error, Result, counted};
use signorini_geometry::PeriodicBox;
use std::borrow::Cow;
use std::collections::HashMap;

/// Everything of the file, checked; `report` gets all faults of a stage before the next one starts.
pub fn resolve(file: &SceneFile, options: &LoadOptions, report: &mut Report) -> Result<Scene> {
    let mut meshes = Meshes::beside(report.file(), options.allow_outside);
    let folder = SceneFolder::new(report.file(), options.allow_outside);
    let file = course_files::with_samples(file, &folder, report);
    resolve_with(&file, options, &mut meshes, report)
}

/// The file with joints and motors in place of its plates, and with the motions of its bowls.
fn with_presses_and_bowls<'a>(
    file: &'a SceneFile,
    bodies: &mut [Body],
    report: &mut Report,
) -> Cow<'a, SceneFile> {
    match press::with_joints(file, bodies, report) {
        Cow::Borrowed(file) => bowl::with_motions(file, bodies, report),
        Cow::Owned(file) => Cow::Owned(bowl::with_motions(&file, bodies, report).into_owned()),
    }
}

/// The scene of a file ([`resolve`]) with meshes that may be known already.
pub fn resolve_with(
    file: &SceneFile,
    options: &LoadOptions,
    meshes: &mut Meshes,
    report: &mut Report,
) -> Result<Scene> {
    let (simulation, solver) = overridden(file, options);
    check_simulation(&simulation, options, report);
    check_solver(&solver, options, report);

    let periodic = periodic::periodic(file, report);
    let mut materials = Materials::of_file(file, report);
    let mut bodies: Vec<Body> = Vec::new();
    let driven = motions::driven_bodies(file);
    for (i, e) in file.body.iter().enumerate() {
        bodies.push(bodies::body(i, &held(i, e, &driven, report), &mut materials, meshes, report));
    }
    let origins: Vec<Vector3<f64>> =
        file.body.iter().zip(&bodies).map(|(e, body)| bodies::written_origin(e, body)).collect();
    let folder = SceneFolder::new(report.file(), options.allow_outside);
    let (tables, walls) = add_made(file, &folder, &mut bodies, (&mut materials, meshes), report);
    let file = &*with_presses_and_bowls(file, &mut bodies, report);
    let fills = fill::fills(file, &mut materials, meshes, report);
    let inlets = ports::inlets(file, &mut materials, meshes, report);
    let outlets = ports::outlets(file, report);
    let names = unique_names(file, (&bodies, &walls, &tables), &fills, report);
    ports::check_names(&inlets, names.keys(), report);
    let measures = measures::measures(file, &names, report);
    let (impulses, forces) = loads(file, &simulation, &names, &fixed_of(&bodies), report);
    let named = Named::new(&names, &bodies, &origins);
    let excluded = exclude::excluded(file, &names, report);
    let mut joined = joined(file, &named, report);
    let motions = motions::of_bodies(file, &named, report);
    let friction = friction::table(&file.friction, materials, report);
    let compliance = springs::compliance(file, &friction.materials, report);
    if fills.is_empty() && file.bodies.is_empty() {
        check_bodies(&bodies, !inlets.is_empty(), report);
    }
    report.stop_if_faulty()?;

    for fill in &fills {
        fill::place(fill, simulation.seed, &mut bodies, periodic.as_ref(), report);
    }
    let is_moved = start_from::place(file, options.allow_outside, &mut bodies, report);
    report.stop_if_faulty()?;
    if is_moved {
        joints::measure_starts(&mut joined.joints, &bodies);
    }
    assemble_joints((&mut joined.joints, &mut joined.couplings), &mut bodies, options, report)?;
    periodic::check_bodies(periodic.as_ref(), &bodies, (&motions, &inlets), report)?;
    let apart = joined_pairs(&joined.joints, &excluded);
    check_start(&mut bodies, &apart, &start_limits(&simulation, periodic), options, report)?;
    bind(file, &friction, (&bodies, &mut joined.joints, &apart), report);
    bores::divide(&mut bodies, &inlets);
    let scene = Scene {
        time_step: simulation.time_step,
        duration: simulation.duration,
        gravity: simulation.gravity.into(),
        seed: simulation.seed,
        solver,
        bodies,
        friction,
        impulses,
        forces,
        springs: joined.springs,
        joints: joined.joints,
        couplings: joined.couplings,
        controls: joined.controls,
        servos: joined.servos,
        motions,
        excluded,
        compliance,
        inlets,
        outlets,
        measures,
        sensors: joined.sensors,
        periodic,
    };
    finish(scene, report)
}

/// Adds the joints of mortar between faces that touch, and notes what materials lack. Bodies `apart` (sorted)
/// have no contact.
fn bind(
    file: &SceneFile,
    friction: &FrictionTable,
    (bodies, joints, apart): (&[Body], &mut Vec<Joint>, &[(usize, usize)]),
    report: &mut Report,
) {
    friction::note_frictionless(&file.friction, friction, bodies, report);
    joints.extend(mortar_joints(bodies, friction, apart));
    friction::note_mortar(friction, joints, report);
}

/// Checks a scene as a whole, and gives its motors the forces of servos in the first step.
fn finish(mut scene: Scene, report: &mut Report) -> Result<Scene> {
    ports::check_places(&scene, report);
    servos::check_start(&scene, report);
    scene.follow_servos(&scene.initial_state(), scene.time_step);
    report.stop_if_faulty().map(|()| scene)
}

/// Adds the bodies of tables, containers and walls to the bodies; returns the tables and the walls.
fn add_made(
    file: &SceneFile,
    folder: &SceneFolder,
    bodies: &mut Vec<Body>,
    (materials, meshes): (&mut Materials, &mut Meshes),
    report: &mut Report,
) -> (Vec<TableBodies>, Vec<Wall>) {
    let tables = body_table::add(file, folder, bodies, (&mut *materials, &mut *meshes), report);
    for (i, e) in file.container.iter().enumerate() {
        bodies.extend(bodies::container(i, e, materials, report));
    }
    let walls = walls::walls(file, report);
    for Wall { body, table: (kind, i) } in &walls {
        bodies.push(bodies::body_at(entry(kind, *i, &body.name), body, materials, meshes, report));
    }
    (tables, walls)
}

/// Fault of a scene in which no body can move and none comes in.
fn check_bodies(bodies: &[Body], has_inlets: bool, report: &mut Report) {
    if has_inlets && bodies.is_empty() {
        report.fault("body", "none", "a scene with an inlet needs at least one body, which may be fixed");
    } else if !has_inlets && bodies.iter().all(|b| b.fixed) {
        let allowed = "a scene needs at least one body that is not fixed, or an inlet";
        report.fault("body", "none that moves", allowed);
    }
}

/// Springs and joints between bodies, what acts on their coordinates, and sensors.
struct Joined {
    springs: Vec<Spring>,
    joints: Vec<Joint>,
    controls: Vec<Control>,
    couplings: Vec<Coupling>,
    sensors: Vec<Sensor>,
    servos: Vec<Servo>,
}

fn joined(file: &SceneFile, named: &Named<'_>, report: &mut Report) -> Joined {
    let springs = springs::springs(file, named, report);
    let (joints, controls, couplings) = joints::joints(file, named, report);
    let sensors = sensors::sensors(file, named, &joints, report);
    let servos = servos::servos(file, named, &joints, report);
    Joined { springs, joints, controls, couplings, sensors, servos }
}

/// Limits of overlaps at the start.
fn start_limits(simulation: &SimulationEntry, periodic: Option<PeriodicBox>) -> StartLimits {
    let gravity = Vector3::from(simulation.gravity).norm();
    StartLimits { time_step: simulation.time_step, gravity, periodic }
}

/// Whether each body is fixed.
fn fixed_of(bodies: &[Body]) -> Vec<bool> {
    bodies.iter().map(|body| body.fixed).collect()
}

/// The entry of a body, fixed where its motion is prescribed: forces do not move it then.
fn held(index: usize, e: &BodyEntry, driven: &[&str], report: &mut Report) -> BodyEntry {
    let mut e = e.clone();
    if driven.contains(&e.name.as_str()) {
        if e.fixed == Some(false) {
            let allowed = "its motion is prescribed, so that no force moves it: leave `fixed` out";
            report.at(entry("body", index, &e.name)).fault("fixed", "false", allowed);
        }
        e.fixed = Some(true);
    }
    e
}

/// Checks that joints and couplings hold at time 0, after moving bodies if the caller wishes.
fn assemble_joints(
    (joints, couplings): (&mut [Joint], &mut [Coupling]),
    bodies: &mut [Body],
    options: &LoadOptions,
    report: &mut Report,
) -> Result<()> {
    if joints.is_empty() {
        return Ok(());
    }
    if options.assemble {
        match assemble(bodies, joints) {
            Some(done) => {
                joints::measure_starts(joints, bodies);
                let remark = format!(
                    "{} moved to assemble the joints, by at most {:.3e} m",
                    counted(done.moved, "body"),
                    done.longest
                );
                report.notes.push(remark);
            }
            None => report.fault(
                "joint",
                "not assembled",
                "no place of the bodies was found where all joints hold",
            ),
        }
    }
    joints::check_start(joints, bodies, report);
    couplings::measure(couplings, joints, bodies);
    couplings::check_start(couplings, joints, bodies, report);
    report.stop_if_faulty()
}

/// Names of all bodies, generated ones included, with their ids; a name used twice is a fault.
fn unique_names(
    file: &SceneFile,
    (bodies, walls, tables): (&[Body], &[Wall], &[TableBodies]),
    fills: &[Fill],
    report: &mut Report,
) -> HashMap<String, usize> {
    let total = fills.iter().fold(bodies.len(), |n, f| n.saturating_add(f.count));
    if total > MAX_BODIES {
        report.fault("fill", format!("{total} bodies"), format!("at most {MAX_BODIES} bodies in a scene"));
        return HashMap::new();
    }
    let mut names = HashMap::with_capacity(total);
    for (id, body) in bodies.iter().enumerate() {
        if names.insert(body.name.clone(), id).is_some() {
            let is_listed = id < file.body.len();
            let wall = (bodies.len() - id).checked_sub(1).and_then(|k| walls.iter().rev().nth(k));
            let table = tables.iter().find(|table| table.ids.contains(&id));
            let place = match wall {
                _ if is_listed => entry("body", id, &body.name),
                _ if table.is_some() => table.map(|table| table.place.clone()).unwrap_or_default(),
                Some(Wall { table: (kind, i), .. }) => entry(kind, *i, &body.name),
                None => "container".to_string(),
            };
            let value = format!("{:?}", body.name);
            report.at(place).fault("name", value, "must be unique among the bodies");
        }
    }
    let mut id = bodies.len();
    for (i, fill) in fills.iter().enumerate() {
        for k in 0..fill.count {
            let name = fill.body_name(k);
            if names.insert(name.clone(), id).is_some() {
                let place = entry("fill", i, &fill.name);
                report.at(place).fault("name", format!("{name:?}"), "must be unique among the bodies");
                break;
            }
            id += 1;
        }
    }
    names
}

/// Checks that no bodies overlap deeply at the start, after moving them apart if the caller wishes.
fn check_start(
    bodies: &mut [Body],
    joined: &[(usize, usize)],
    limits: &StartLimits,
    options: &LoadOptions,
    report: &mut Report,
) -> Result<()> {
    let found = start::overlaps(bodies, joined, limits);
    if found.is_empty() {
        return Ok(());
    }
    if options.separate
        && let Some(done) = start::separate(bodies, joined, limits)
    {
        let moved = counted(done.moved, "body");
        let remark = format!("{moved} moved apart, by at most {:.3e} m", done.longest);
        report.notes.push(remark);
        return Ok(());
    }
    for o in found.iter().take(MAX_OVERLAPS) {
        report.error(Error::Overlap {
            file: report.file().to_path_buf(),
            body_a: bodies[o.a].name.clone(),
            body_b: bodies[o.b].name.clone(),
            depth: -o.gap.distance,
            allowed: o.allowed,
            speed: o.speed,
        });
    }
    if found.len() > MAX_OVERLAPS {
        let value = format!("{} overlapping pairs", found.len());
        report.fault("body", value, format!("none may overlap; the first {MAX_OVERLAPS} are named"));
    }
    if options.separate {
        report.fault("body", "not separated", "the bodies could not be moved apart; give them more room");
    }
    report.stop_if_faulty()
}
