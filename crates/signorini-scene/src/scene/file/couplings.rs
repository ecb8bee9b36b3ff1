//! `[[coupling]]`.

use super::coordinates::{axis_of, coordinate, name_of};
use super::named::Named;
use super::place::entry;
use super::raw::SceneFile;
use super::raw_joints::{CoordinateName, CouplingEntry};
use super::report::{Check, Report};
use crate::scene::body::Body;
use crate::scene::coupling::{COEFFICIENTS, Coupling, JointCoordinate};
use crate::scene::definition::Scene;
use crate::scene::joint::{Axis, Joint, placement};
use std::collections::HashMap;

/// Error of a coupling accepted at the start, in rad and in m per m of the joint's size.
const ACCEPTED_ERROR: f64 = 1e-6;

/// First of the coefficients that `higher` gives.
const FIRST_HIGHER: usize = 2;

/// All couplings. Their coordinates are listed in the joints; an offset that is not given is NaN until
/// [`measure`] has found it.
pub fn couplings(
    file: &SceneFile,
    joints: &mut [Joint],
    named: &Named<'_>,
    report: &mut Report,
) -> Vec<Coupling> {
    let mut found: Vec<Coupling> = Vec::new();
    let mut known: Vec<&str> = file.joint.iter().map(|e| e.name.as_str()).collect();
    known.sort_unstable();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (i, e) in file.coupling.iter().enumerate() {
        let mut check = report.at(entry("coupling", i, &e.name));
        check.name("name", &e.name);
        if names.insert(&e.name, i).is_some() {
            check.fault("name", format!("{:?}", e.name), "must be unique among the couplings");
        }
        let Some(coupling) = coupling(e, &known, joints, &mut check) else { continue };
        check_order(&coupling, &found, e, &mut check);
        for JointCoordinate { joint, axis } in [coupling.of, coupling.to] {
            coordinate(&mut joints[joint], axis, named);
        }
        found.push(coupling);
    }
    found
}

fn coupling(e: &CouplingEntry, known: &[&str], joints: &[Joint], check: &mut Check<'_>) -> Option<Coupling> {
    let of = coordinate_named(["joint", "coordinate"], (&e.joint, e.coordinate), known, joints, check);
    let to = ["follows", "followed_coordinate"];
    let to = coordinate_named(to, (&e.follows, e.followed_coordinate), known, joints, check);
    let mut coefficients = [0.0; COEFFICIENTS];
    coefficients[0] = e.offset.map_or(f64::NAN, |offset| check.finite("offset", offset));
    coefficients[1] = check.finite("ratio", e.ratio);
    let room = COEFFICIENTS - FIRST_HIGHER;
    if e.higher.len() > room {
        check.fault("higher", format!("{:?}", e.higher), format!("at most {room} coefficients"));
    }
    for (c, given) in coefficients[FIRST_HIGHER..].iter_mut().zip(&e.higher) {
        *c = check.finite("higher", *given);
    }
    if coefficients[1..].iter().all(|c| *c == 0.0) {
        let allowed = "must not be 0 where no other coefficient is given: the joint would follow nothing";
        check.fault("ratio", format!("{:?}", e.ratio), allowed);
    }
    let (of, to) = (of?, to?);
    if of == to {
        check.fault("follows", format!("{:?}", e.follows), "a coordinate cannot follow itself");
        return None;
    }
    Some(Coupling { name: e.name.clone(), of, to, coefficients })
}

fn coordinate_named(
    [joint_field, axis_field]: [&str; 2],
    (name, axis): (&str, Option<CoordinateName>),
    known: &[&str],
    joints: &[Joint],
    check: &mut Check<'_>,
) -> Option<JointCoordinate> {
    let Some(joint) = joints.iter().position(|joint| joint.name == name) else {
        // The fault of a joint that is listed was found already.
        if !known.contains(&name) {
            check.unknown(joint_field, name, "joint", known);
        }
        return None;
    };
    let axis = axis_of(axis, &joints[joint], axis_field, check)?;
    if axis == Axis::Length {
        let allowed = "only a slide or an angle can be coupled, not the length of a distance joint";
        check.fault(joint_field, format!("{name:?}"), allowed);
        return None;
    }
    Some(JointCoordinate { joint, axis })
}

/// Faults of a coordinate that follows two others, or in the end itself.
fn check_order(coupling: &Coupling, others: &[Coupling], e: &CouplingEntry, check: &mut Check<'_>) {
    if let Some(other) = others.iter().find(|other| other.of == coupling.of) {
        let allowed = format!("its coordinate follows another one already, by coupling {:?}", other.name);
        check.fault("joint", format!("{:?}", e.joint), allowed);
        return;
    }
    let mut at = coupling.to;
    while let Some(next) = others.iter().find(|other| other.of == at) {
        at = next.to;
        if at == coupling.of {
            let allowed = "couplings must not lead back to the joint that follows";
            check.fault("follows", format!("{:?}", e.follows), allowed);
            return;
        }
    }
}

/// Finds the offsets that are not given, by the places of the bodies at time 0.
pub fn measure(couplings: &mut [Coupling], joints: &[Joint], bodies: &[Body]) {
    for coupling in couplings.iter_mut().filter(|coupling| coupling.coefficients[0].is_nan()) {
        let [q, followed] = at_start(coupling, joints, bodies);
        coupling.coefficients[0] = 0.0;
        coupling.coefficients[0] = q - coupling.value(followed);
    }
}

/// Whether all couplings hold at time 0; faults otherwise.
pub fn check_start(couplings: &[Coupling], joints: &[Joint], bodies: &[Body], report: &mut Report) {
    for (i, coupling) in couplings.iter().enumerate() {
        let [q, followed] = at_start(coupling, joints, bodies);
        let joint = &joints[coupling.of.joint];
        let is_angle = coupling.of.axis == Axis::Angle;
        let unit = if is_angle { 1.0 } else { joint.size(|id| bodies[id].size()) };
        let due = coupling.value(followed);
        if (q - due).abs() > ACCEPTED_ERROR * unit {
            let unit = if is_angle { "rad" } else { "m" };
            let allowed = format!(
                "must hold at time 0: {:?} is at {q:?} {unit}, and would have to be at {due:?} {unit}; leave `offset` out to couple the joints as they are",
                joint.name
            );
            let value = format!("{:?}", coupling.coefficients[0]);
            report.at(entry("coupling", i, &coupling.name)).fault("offset", value, allowed);
        }
    }
}

/// The coordinate that follows and the one that it follows, at time 0.
fn at_start(coupling: &Coupling, joints: &[Joint], bodies: &[Body]) -> [f64; 2] {
    [coupling.of, coupling.to].map(|JointCoordinate { joint, axis }| {
        let joint = &joints[joint];
        joint.coordinate_row(axis).value(&joint.bodies.map(|id| placement(&bodies[id].pose)))
    })
}

/// The entries of a scene's couplings.
pub fn couplings_of(scene: &Scene) -> Vec<CouplingEntry> {
    let entry = |coupling: &Coupling| {
        let [offset, ratio, higher @ ..] = coupling.coefficients;
        let named = |at: JointCoordinate| scene.joints[at.joint].name.clone();
        let is_higher = higher.iter().any(|c| *c != 0.0);
        CouplingEntry {
            name: coupling.name.clone(),
            joint: named(coupling.of),
            coordinate: Some(name_of(coupling.of.axis)),
            follows: named(coupling.to),
            followed_coordinate: Some(name_of(coupling.to.axis)),
            ratio,
            offset: Some(offset),
            higher: if is_higher { higher.to_vec() } else { Vec::new() },
        }
    };
    scene.couplings.iter().map(entry).collect()
}
