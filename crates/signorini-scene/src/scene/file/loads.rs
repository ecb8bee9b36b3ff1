//! `[[impulse]]` and `[[force]]`.

use super::place::entry;
use super::raw::{ConditionEntry, SceneFile, SimulationEntry};
use super::report::{Check, Report};
use crate::scene::load::{Condition, Impulse, TimedForce};
use std::collections::HashMap;

/// All impulses and forces, their fields checked.
pub fn loads(
    file: &SceneFile,
    simulation: &SimulationEntry,
    names: &HashMap<String, usize>,
    fixed: &[bool],
    report: &mut Report,
) -> (Vec<Impulse>, Vec<TimedForce>) {
    let mut listed: Vec<&str> = names.keys().map(String::as_str).collect();
    listed.sort_unstable();
    let find = |name: &str, check: &mut Check<'_>| match names.get(name) {
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
    let impulses = impulses(file, simulation, &find, report);
    (impulses, forces(file, &find, report))
}

fn impulses(
    file: &SceneFile,
    simulation: &SimulationEntry,
    find: &impl Fn(&str, &mut Check<'_>) -> usize,
    report: &mut Report,
) -> Vec<Impulse> {
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
    impulses
}

fn forces(
    file: &SceneFile,
    find: &impl Fn(&str, &mut Check<'_>) -> usize,
    report: &mut Report,
) -> Vec<TimedForce> {
    let mut forces = Vec::new();
    for (i, e) in file.force.iter().enumerate() {
        let mut check = report.at(entry("force", i, &e.body));
        let force = TimedForce {
            body: find(&e.body, &mut check),
            from: check.not_negative("from", e.from),
            to: check.not_negative("to", e.to),
            force: check.load("force", e.force),
            torque: check.load("torque", e.torque),
        };
        if e.to <= e.from {
            check.fault("to", format!("{:?}", e.to), format!("must be after `from` ({:?} s)", e.from));
        }
        forces.push(force);
    }
    forces
}
