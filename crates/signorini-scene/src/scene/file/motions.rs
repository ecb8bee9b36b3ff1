//! `[[motion]]`: prescribed motion of bodies and of joints.

use super::coordinates::{axis_of, coordinate, name_of};
use super::named::Named;
use super::raw::SceneFile;
use super::raw_joints::MotionEntry;
use super::report::{Check, Report};
use super::time_functions::{time_function, time_function_of};
use crate::scene::body::Body;
use crate::scene::definition::Scene;
use crate::scene::joint::Joint;
use crate::scene::motion::{BodyMotion, Motion, Trajectory};
use nalgebra::Vector3;
use std::collections::HashMap;

fn motion(e: &MotionEntry, check: &mut Check<'_>) -> Option<Motion> {
    match (&e.position, &e.velocity) {
        (Some(e), None) => time_function("position", e, check).map(Motion::Position),
        (None, Some(e)) => time_function("velocity", e, check).map(Motion::Velocity),
        _ => {
            check.fault("position", "unclear", "give either position or velocity");
            None
        }
    }
}

fn place(i: usize, e: &MotionEntry) -> String {
    let name = e.body.as_deref().or(e.joint.as_deref()).unwrap_or("");
    format!("motion[{i}] {name:?}")
}

/// Names of the bodies whose motion the file prescribes.
pub fn driven_bodies(file: &SceneFile) -> Vec<&str> {
    file.motion.iter().filter_map(|e| e.body.as_deref()).collect()
}

/// Puts motions of joints into their coordinates.
pub fn of_joints(
    file: &SceneFile,
    names: &HashMap<&str, Option<usize>>,
    known: &[&str],
    joints: &mut [Joint],
    named: &Named<'_>,
    report: &mut Report,
) {
    for (i, e) in file.motion.iter().enumerate() {
        let Some(name) = &e.joint else { continue };
        let mut check = report.at(place(i, e));
        let body_fields =
            [e.direction.is_some(), e.axis.is_some(), e.center.is_some(), e.relative_to.is_some()];
        if e.body.is_some() || body_fields.contains(&true) {
            check.fault(
                "joint",
                format!("{name:?}"),
                "a motion is of a body (body, direction or axis, …) or of a joint",
            );
            continue;
        }
        let motion = motion(e, &mut check);
        let joint = match names.get(name.as_str()) {
            None => {
                check.unknown("joint", name, "joint", known);
                continue;
            }
            Some(None) => continue,
            Some(Some(place)) => &mut joints[*place],
        };
        let (Some(axis), Some(motion)) = (axis_of(e.coordinate, joint, &mut check), motion) else { continue };
        let coordinate = coordinate(joint, axis, named);
        if coordinate.motion.is_some() || !coordinate.motors.is_empty() {
            let what = if coordinate.motion.is_some() { "a motion" } else { "a motor" };
            let allowed = format!("its {} has {what} already", axis.as_str());
            check.fault("joint", format!("{name:?}"), allowed);
        }
        coordinate.motion = Some(motion);
    }
}

/// The motions of bodies, checked.
pub fn of_bodies(file: &SceneFile, named: &Named<'_>, report: &mut Report) -> Vec<BodyMotion> {
    let mut found: Vec<BodyMotion> = Vec::new();
    for (i, e) in file.motion.iter().enumerate().filter(|(_, e)| e.joint.is_none()) {
        let mut check = report.at(place(i, e));
        let Some(name) = &e.body else {
            check.fault("body", "absent", "give the body, or the joint, that is moved");
            continue;
        };
        if e.coordinate.is_some() {
            check.fault("coordinate", "given", "only joints have coordinates");
        }
        let body = named.find("body", name, &mut check);
        let motion = motion(e, &mut check);
        let trajectory = trajectory(e, body.map(|id| &named.bodies[id]), &mut check);
        let carrier = e.relative_to.as_ref().map(|n| named.find("relative_to", n, &mut check));
        if let Some(Some(id)) = carrier
            && !named.bodies[id].fixed
        {
            let allowed = "must be a fixed body or one with a prescribed motion: this one moves freely";
            check.fault("relative_to", format!("{:?}", named.bodies[id].name), allowed);
        }
        let (Some(body), Some(motion), Some(trajectory)) = (body, motion, trajectory) else { continue };
        let relative_to = carrier.flatten();
        let others = || found.iter().filter(|m| m.body == body);
        if matches!(trajectory, Trajectory::About { .. })
            && others().any(|m| matches!(m.trajectory, Trajectory::About { .. }))
        {
            check.fault(
                "axis",
                format!("{:?}", e.axis.unwrap_or_default()),
                "a body turns about one axis at most",
            );
        }
        if others().any(|m| m.relative_to != relative_to) {
            let allowed = "must be the same in all motions of a body";
            check.fault("relative_to", format!("{:?}", e.relative_to), allowed);
        }
        found.push(BodyMotion { body, trajectory, motion, relative_to });
    }
    check_cycles(&found, named, report);
    found
}

fn trajectory(e: &MotionEntry, body: Option<&Body>, check: &mut Check<'_>) -> Option<Trajectory> {
    let is_plane = body.is_some_and(Body::has_half_space);
    match (e.direction, e.axis) {
        (Some(direction), None) => {
            if e.center.is_some() {
                check.fault("center", "given", "only together with axis");
            }
            Some(Trajectory::Along(check.direction("direction", direction)))
        }
        (None, Some(axis)) => {
            if is_plane {
                check.fault(
                    "axis",
                    format!("{axis:?}"),
                    "a half-space cannot turn: it has no end; use a box",
                );
            }
            let middle: [f64; 3] = body.map_or([0.0; 3], |b| b.pose.position.into());
            let center: Vector3<f64> = check.vector("center", e.center.unwrap_or(middle));
            Some(Trajectory::About { axis: check.direction("axis", axis), center })
        }
        _ => {
            check.fault(
                "direction",
                "unclear",
                "give either direction (to move along) or axis (to turn about)",
            );
            None
        }
    }
}

/// Faults of bodies that are carried by themselves, and of half-spaces that a turning body carries.
fn check_cycles(motions: &[BodyMotion], named: &Named<'_>, report: &mut Report) {
    let carrier = |body: usize| motions.iter().find(|m| m.body == body).and_then(|m| m.relative_to);
    let mut seen: Vec<usize> = Vec::new();
    for m in motions {
        let mut chain = vec![m.body];
        while let Some(next) = carrier(chain[chain.len() - 1]) {
            if chain.contains(&next) {
                chain.push(next);
                if next == m.body && !seen.contains(&next) {
                    seen.extend_from_slice(&chain);
                    let names: Vec<&str> = chain.iter().map(|id| named.bodies[*id].name.as_str()).collect();
                    let what = format!("motion of {:?}", named.bodies[m.body].name);
                    report.at(what).fault(
                        "relative_to",
                        names.join(" → "),
                        "a body must not be carried by itself",
                    );
                }
                break;
            }
            chain.push(next);
        }
        let is_plane = named.bodies[m.body].has_half_space();
        let turns = |id: &usize| {
            motions.iter().any(|n| n.body == *id && matches!(n.trajectory, Trajectory::About { .. }))
        };
        if is_plane && chain[1..].iter().any(turns) {
            let what = format!("motion of {:?}", named.bodies[m.body].name);
            report.at(what).fault(
                "relative_to",
                "a body that turns",
                "a half-space cannot turn: it has no end",
            );
        }
    }
}

/// The entries of a scene's motions.
pub fn motions_of(scene: &Scene) -> Vec<MotionEntry> {
    let name = |id: usize| scene.bodies[id].name.clone();
    let mut entries = Vec::new();
    for m in &scene.motions {
        let (body, relative_to) = (Some(name(m.body)), m.relative_to.map(name));
        let mut e = MotionEntry { body, relative_to, ..MotionEntry::of(&m.motion) };
        match m.trajectory {
            Trajectory::Along(direction) => e.direction = Some(direction.into()),
            Trajectory::About { axis, center } => {
                (e.axis, e.center) = (Some(axis.into()), Some(center.into()));
            }
        }
        entries.push(e);
    }
    for joint in &scene.joints {
        for c in &joint.coordinates {
            if let Some(motion) = &c.motion {
                let coordinate = Some(name_of(c.axis));
                let joint = Some(joint.name.clone());
                entries.push(MotionEntry { joint, coordinate, ..MotionEntry::of(motion) });
            }
        }
    }
    entries
}

impl MotionEntry {
    /// Makes the entry of a motion, for no body or joint yet.
    pub fn of(motion: &Motion) -> Self {
        let (position, velocity) = match motion {
            Motion::Position(time_function) => (Some(time_function_of(time_function)), None),
            Motion::Velocity(time_function) => (None, Some(time_function_of(time_function))),
        };
        Self {
            body: None,
            joint: None,
            coordinate: None,
            direction: None,
            axis: None,
            center: None,
            relative_to: None,
            position,
            velocity,
        }
    }
}
