//! From the file's tables to a validated [`Scene`].

use super::LoadOptions;
use super::bodies;
use super::fill::{self, Fill};
use super::friction::{self, Materials};
use super::joints::{self, Named};
use super::motions;
use super::raw::{BodyEntry, ConditionEntry, SceneFile, SimulationEntry};
use super::report::{Check, Report, entry};
use super::shapes::Meshes;
use super::springs;
use crate::error::{Error, Result};
use crate::scene::assemble::assemble;
use crate::scene::joint::joined_pairs;
use crate::scene::{Body, Condition, Impulse, Joint, Scene, TimedForce, start};
use crate::settings::SolverSettings;
use std::collections::HashMap;

/// Longest run, in steps.
const MOST_STEPS: f64 = 1e9;
/// Most bodies in a scene.
pub const MOST_BODIES: usize = 1_000_000;
/// Overlapping pairs named in one message.
const MOST_OVERLAPS: usize = 20;

/// Everything of the file, checked; `report` gets all faults of a stage before the next one starts.
pub fn resolve(file: &SceneFile, options: &LoadOptions, report: &mut Report) -> Result<Scene> {
    let (simulation, solver) = overridden(file, options);
    check_simulation(&simulation, options, report);
    check_solver(&solver, options, report);

    let mut materials = Materials::of_file(file, report);
    let mut meshes = Meshes::beside(report.file(), options.allow_outside);
    let mut bodies: Vec<Body> = Vec::new();
    let driven = motions::driven_bodies(file);
    for (i, e) in file.body.iter().enumerate() {
        bodies.push(bodies::body(i, &held(i, e, &driven, report), &mut materials, &mut meshes, report));
    }
    for (i, e) in file.container.iter().enumerate() {
        bodies.extend(bodies::container(i, e, &mut materials, report));
    }
    let mut fills = Vec::new();
    for (i, e) in file.fill.iter().enumerate() {
        fills.push(fill::check(i, e, &mut materials, &mut meshes, report));
    }
    let names = unique_names(file, &bodies, &fills, report);
    let fixed: Vec<bool> = bodies.iter().map(|b| b.fixed).collect();
    let (impulses, forces) = loads(file, &simulation, &names, &fixed, report);
    let springs = springs::springs(file, &names, &bodies, report);
    let named = Named::new(&names, &bodies);
    let mut joints = joints::joints(file, &named, report);
    let motions = motions::of_bodies(file, &named, report);
    let friction = friction::table(&file.friction, materials, report);
    let compliance = springs::compliance(file, &friction.materials, report);
    if fills.is_empty() && bodies.iter().all(|b| b.fixed) {
        report.fault("body", "none that moves", "a scene needs at least one body that is not fixed");
    }
    report.stop_if_faulty()?;

    for fill in &fills {
        fill::place(fill, simulation.seed, &mut bodies, report);
    }
    report.stop_if_faulty()?;
    if !joints.is_empty() {
        assemble_joints(&mut joints, &mut bodies, options, report)?;
    }
    check_start(&mut bodies, &joined_pairs(&joints), options, report)?;
    friction::note_frictionless(&file.friction, &friction, &bodies, report);
    Ok(Scene {
        time_step: simulation.step,
        duration: simulation.duration,
        gravity: simulation.gravity.into(),
        seed: simulation.seed,
        solver,
        bodies,
        friction,
        impulses,
        forces,
        springs,
        joints,
        motions,
        compliance,
    })
}

/// A body whose motion is prescribed is fixed: forces do not move it.
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

/// The joints hold at time 0, after moving bodies if the caller wishes.
fn assemble_joints(
    joints: &mut [Joint],
    bodies: &mut [Body],
    options: &LoadOptions,
    report: &mut Report,
) -> Result<()> {
    if options.assemble {
        match assemble(bodies, joints) {
            Some(done) => {
                joints::measure_starts(joints, bodies);
                let remark = format!(
                    "{} bodies moved to assemble the joints, by at most {:.3e} m",
                    done.moved, done.longest
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
    report.stop_if_faulty()
}

/// The file's `[simulation]` and `[solver]` with the caller's values in place.
fn overridden(file: &SceneFile, options: &LoadOptions) -> (SimulationEntry, SolverSettings) {
    let (mut simulation, mut solver) = (file.simulation.clone(), file.solver.clone());
    let o = &options.overrides;
    simulation.step = o.step.unwrap_or(simulation.step);
    simulation.duration = o.duration.unwrap_or(simulation.duration);
    simulation.seed = o.seed.unwrap_or(simulation.seed);
    solver.tolerance = o.tolerance.unwrap_or(solver.tolerance);
    solver.formulation = o.formulation.unwrap_or(solver.formulation);
    (simulation, solver)
}

/// `step`, or `step (override)` when the value is not the file's.
fn named(field: &str, is_override: bool) -> String {
    if is_override { format!("{field} (override)") } else { field.to_string() }
}

fn check_simulation(s: &SimulationEntry, options: &LoadOptions, report: &mut Report) {
    let o = &options.overrides;
    let mut check = report.at("simulation");
    let step_field = named("step", o.step.is_some());
    let duration_field = named("duration", o.duration.is_some());
    let step = check.positive(&step_field, s.step);
    let duration = check.positive(&duration_field, s.duration);
    check.vector("gravity", s.gravity);
    if i64::try_from(s.seed).is_err() {
        check.fault(&named("seed", o.seed.is_some()), s.seed, format!("must be 0 to {}", i64::MAX));
    }
    if step != s.step || duration != s.duration {
        return;
    }
    let steps = duration / step;
    if step > duration {
        check.fault(
            &step_field,
            format!("{step:?}"),
            format!("must be at most the duration ({duration:?} s)"),
        );
    } else if steps > MOST_STEPS {
        let allowed = format!("the run would take {steps:.3e} steps, allowed are {MOST_STEPS:e}");
        check.fault(&step_field, format!("{step:?}"), allowed);
    } else if (steps - steps.round()).abs() > 1e-6 * steps {
        let end = steps.round() * step;
        check.note(
            &duration_field,
            format!("{duration:?} s is not a whole number of steps; the run ends at {end} s"),
        );
    }
}

fn check_solver(solver: &SolverSettings, options: &LoadOptions, report: &mut Report) {
    for fault in solver.faults() {
        let is_override = fault.field == "tolerance" && options.overrides.tolerance.is_some();
        report.at("solver").fault(&named(fault.field, is_override), fault.value, fault.allowed);
    }
}

/// Names of all bodies, generated ones included, with their ids; a name used twice is a fault.
fn unique_names(
    file: &SceneFile,
    bodies: &[Body],
    fills: &[Fill],
    report: &mut Report,
) -> HashMap<String, usize> {
    let total = fills.iter().fold(bodies.len(), |n, f| n.saturating_add(f.count));
    if total > MOST_BODIES {
        report.fault("fill", format!("{total} bodies"), format!("at most {MOST_BODIES} bodies in a scene"));
        return HashMap::new();
    }
    let mut names = HashMap::with_capacity(total);
    for (id, body) in bodies.iter().enumerate() {
        if names.insert(body.name.clone(), id).is_some() {
            let is_listed = id < file.body.len();
            let place = if is_listed { entry("body", id, &body.name) } else { "container".to_string() };
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

/// `[[impulse]]` and `[[force]]`.
fn loads(
    file: &SceneFile,
    simulation: &SimulationEntry,
    names: &HashMap<String, usize>,
    fixed: &[bool],
    report: &mut Report,
) -> (Vec<Impulse>, Vec<TimedForce>) {
    let mut listed: Vec<&str> = names.keys().map(String::as_str).collect();
    listed.sort_unstable();
    let find = |name: &str, check: &mut Check| match names.get(name) {
        Some(&id) if fixed.get(id).copied().unwrap_or(false) => {
            check.fault("body", format!("{name:?}"), "must be a body that moves; this one is fixed");
            0
        }
        Some(&id) => id,
        None => {
            check.unknown("body", name, "body", &listed);
            0
        }
    };
    let mut impulses = Vec::new();
    for (i, e) in file.impulse.iter().enumerate() {
        let mut check = report.at(entry("impulse", i, &e.body));
        let impulse = Impulse {
            body: find(&e.body, &mut check),
            time: check.not_negative("time", e.time.unwrap_or(0.0)),
            when: e.when.as_ref().map(|when| match when {
                ConditionEntry::AngularVelocity { axis, reaches } => Condition::AngularVelocity {
                    axis: check.direction("when.axis", *axis),
                    reaches: check.finite("when.reaches", *reaches),
                },
                ConditionEntry::Contact { kind } => Condition::Contact { kind: *kind },
            }),
            linear: check.vector("linear", e.linear),
            angular: check.vector("angular", e.angular),
        };
        if e.time.is_none() && e.when.is_none() {
            check.fault("time", "nothing", "an impulse needs a time (s, ≥ 0) or a condition (`when`)");
        }
        if impulse.time >= simulation.duration {
            check.note("time", format!("{:?} s is after the end of the run", impulse.time));
        }
        impulses.push(impulse);
    }
    let mut forces = Vec::new();
    for (i, e) in file.force.iter().enumerate() {
        let mut check = report.at(entry("force", i, &e.body));
        let force = TimedForce {
            body: find(&e.body, &mut check),
            from: check.not_negative("from", e.from),
            to: check.not_negative("to", e.to),
            force: check.vector("force", e.force),
            torque: check.vector("torque", e.torque),
        };
        if e.to <= e.from {
            check.fault("to", format!("{:?}", e.to), format!("must be after `from` ({:?} s)", e.from));
        }
        forces.push(force);
    }
    (impulses, forces)
}

/// No deep overlap at the start, after moving bodies apart if the caller wishes.
fn check_start(
    bodies: &mut [Body],
    joined: &[(usize, usize)],
    options: &LoadOptions,
    report: &mut Report,
) -> Result<()> {
    let found = start::overlaps(bodies, joined);
    if found.is_empty() {
        return Ok(());
    }
    if options.separate
        && let Some(done) = start::separate(bodies, joined)
    {
        let remark = format!("{} bodies moved apart, by at most {:.3e} m", done.moved, done.longest);
        report.notes.push(remark);
        return Ok(());
    }
    for o in found.iter().take(MOST_OVERLAPS) {
        report.error(Error::Overlap {
            file: report.file().to_path_buf(),
            body_a: bodies[o.a].name.clone(),
            body_b: bodies[o.b].name.clone(),
            depth: -o.gap.distance,
            allowed: o.allowed,
        });
    }
    if found.len() > MOST_OVERLAPS {
        let value = format!("{} overlapping pairs", found.len());
        report.fault("body", value, format!("none may overlap; the first {MOST_OVERLAPS} are named"));
    }
    if options.separate {
        report.fault("body", "not separated", "the bodies could not be moved apart; give them more room");
    }
    report.stop_if_faulty()
}
