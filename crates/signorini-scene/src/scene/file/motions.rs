//! `[[motion]]`: prescribed motion of bodies and of joints.

use super::coordinates::{axis_of, coordinate, name_of};
use super::named::Named;
use super::raw::SceneFile;
use super::raw_joints::{MotionEntry, PosesEntry};
use super::report::{Check, Report};
use super::time_functions::{time_function, time_function_of};
use crate::scene::acceleration::Acceleration;
use crate::scene::body::Body;
use crate::scene::definition::Scene;
use crate::scene::joint::Joint;
use crate::scene::motion::{BodyMotion, Motion, Trajectory};
use crate::scene::pose_course::PoseCourse;
use crate::scene::time_function::TimeFunction;
use nalgebra::{UnitQuaternion, Vector3};
use std::collections::HashMap;

fn motion(e: &MotionEntry, check: &mut Check<'_>) -> Option<Motion> {
    if e.acceleration.is_none() && (e.start_velocity.is_some() || e.end_at_rest) {
        let field = if e.end_at_rest { "end_at_rest" } else { "start_velocity" };
        check.fault(field, "given", "only together with acceleration");
    }
    match (&e.position, &e.velocity, &e.acceleration, &e.poses) {
        (Some(e), None, None, None) => time_function("position", e, check).map(Motion::Position),
        (None, Some(e), None, None) => time_function("velocity", e, check).map(Motion::Velocity),
        (None, None, Some(course), None) => {
            let function = time_function("acceleration", course, check)?;
            let start = check.finite("start_velocity", e.start_velocity.unwrap_or(0.0));
            accelerated(function, start, e.end_at_rest, check).map(Motion::Acceleration)
        }
        // The course goes on with the time.
        (None, None, None, Some(_)) => Some(Motion::Velocity(TimeFunction::Constant { value: 1.0 })),
        _ => {
            check.fault("position", "unclear", "give either position, velocity, acceleration or poses");
            None
        }
    }
}

/// Returns the motion of an acceleration, where that is asked for without a straight line c₀ + c₁ t, so that
/// velocity v and displacement x at the end of a table are zero: v = c₀ T + c₁ T²/2, x = c₀ T²/2 + c₁ T³/6.
fn accelerated(
    mut function: TimeFunction,
    start: f64,
    end_at_rest: bool,
    check: &mut Check<'_>,
) -> Option<Acceleration> {
    let made = Acceleration::new(function.clone(), start);
    if !end_at_rest {
        return Some(made);
    }
    let (TimeFunction::Table { times, values } | TimeFunction::Cubic { times, values }) = &mut function
    else {
        check.fault("end_at_rest", "true", "only a table has an end");
        return None;
    };
    let from = times[0].max(0.0);
    let Some([length, velocity, moved]) = made.end().map(|[t, v, x]| [t - from, v, x]).filter(|e| e[0] > 0.0)
    else {
        check.fault(
            "end_at_rest",
            "true",
            "the table must go on after time 0, and have two samples at least",
        );
        return None;
    };
    let slope = 12.0 * (0.5 * velocity * length - moved) / length.powi(3);
    let constant = velocity / length - 0.5 * slope * length;
    for (time, value) in times.iter().zip(values) {
        *value -= constant + slope * (time - from);
    }
    Some(Acceleration::new(function, start))
}

/// Checks poses.
fn poses(e: &PosesEntry, check: &mut Check<'_>) -> Option<PoseCourse> {
    let n = e.times.len();
    let n_turns = e.orientations.len();
    if n == 0 || e.positions.len() != n || (n_turns != n && n_turns != 0) {
        let value = format!("{n} times, {} positions, {n_turns} orientations", e.positions.len());
        check.fault(
            "poses.times",
            value,
            "must be as many times as positions and orientations, at least one",
        );
        return None;
    }
    let before = check.n_faults();
    if let Some(i) = e.times.windows(2).position(|w| w[1] <= w[0]) {
        let value = format!("{:?} after {:?}", e.times[i + 1], e.times[i]);
        check.fault("poses.times", value, "must rise from each to the next");
    }
    let times = e.times.iter().map(|t| check.finite("poses.times", *t)).collect();
    let positions = e.positions.iter().map(|p| check.vector("poses.positions", *p)).collect();
    let turn = |k: usize, check: &mut Check<'_>| match e.orientations.get(k) {
        Some(q) => check.quaternion("poses.orientations", *q),
        None => UnitQuaternion::identity(),
    };
    let orientations = (0..n).map(|k| turn(k, check)).collect();
    (check.n_faults() == before).then_some(PoseCourse { times, positions, orientations })
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
        let body_fields = [
            e.direction.is_some(),
            e.axis.is_some(),
            e.center.is_some(),
            e.relative_to.is_some(),
            e.poses.is_some(),
        ];
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
        let axis = axis_of(e.coordinate, joint, "coordinate", &mut check);
        let (Some(axis), Some(motion)) = (axis, motion) else { continue };
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
        let is_through = |m: &Trajectory| matches!(m, Trajectory::Through(_));
        if others().next().is_some()
            && (is_through(&trajectory) || others().any(|m| is_through(&m.trajectory)))
        {
            check.fault("poses", "given", "a body that goes through poses has no other motion");
        }
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
    if let Some(course) = &e.poses {
        for (field, is_given) in
            [("direction", e.direction.is_some()), ("axis", e.axis.is_some()), ("center", e.center.is_some())]
        {
            if is_given {
                check.fault(field, "given", "poses need none");
            }
        }
        if is_plane && !course.orientations.is_empty() {
            check.fault("poses", "orientations", "a half-space cannot turn: it has no end; use a box");
        }
        return poses(course, check).map(Trajectory::Through);
    }
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
            motions.iter().any(|n| n.body == *id && !matches!(n.trajectory, Trajectory::Along(_)))
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
        e.go(&m.trajectory);
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
        let (mut position, mut velocity, mut acceleration, mut start_velocity) = (None, None, None, None);
        match motion {
            Motion::Position(function) => position = Some(time_function_of(function)),
            Motion::Velocity(function) => velocity = Some(time_function_of(function)),
            Motion::Acceleration(motion) => {
                acceleration = Some(time_function_of(motion.function()));
                start_velocity = Some(motion.start_velocity()).filter(|start| *start != 0.0);
            }
        }
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
            acceleration,
            start_velocity,
            end_at_rest: false,
            poses: None,
        }
    }

    /// Sets the way that a body goes.
    pub fn go(&mut self, trajectory: &Trajectory) {
        match trajectory {
            Trajectory::Along(direction) => self.direction = Some((*direction).into()),
            Trajectory::About { axis, center } => {
                (self.axis, self.center) = (Some((*axis).into()), Some((*center).into()));
            }
            Trajectory::Through(course) => {
                // The time is all that moves.
                self.velocity = None;
                self.poses = Some(PosesEntry {
                    file: None,
                    times: course.times.clone(),
                    positions: course.positions.iter().map(|p| (*p).into()).collect(),
                    orientations: course.orientations.iter().map(|q| [q.w, q.i, q.j, q.k]).collect(),
                });
            }
        }
    }
}
