//! `[[spring]]` and the compliance of `[[material]]`.

use super::named::Named;
use super::raw::{SceneFile, SpringEntry};
use super::report::{Check, Report};
use crate::scene::definition::Scene;
use crate::scene::spring::{Compliance, Spring};
use std::collections::HashMap;

/// Compliance by material, in the order of `materials`; empty when every material is rigid.
pub fn compliance(file: &SceneFile, materials: &[String], report: &mut Report) -> Vec<Compliance> {
    let mut found: HashMap<&str, Compliance> = HashMap::new();
    for (i, e) in file.material.iter().enumerate() {
        let mut check = report.at(format!("material[{i}]"));
        let stiffness = e.stiffness.map_or(f64::INFINITY, |k| check.positive("stiffness", k));
        let dissipation_time = check.not_negative("dissipation_time", e.dissipation_time);
        found.insert(&e.name, Compliance { stiffness, dissipation_time });
    }
    let rigid = |name: &String| found.get(name.as_str()).copied().unwrap_or(Compliance::RIGID);
    let list: Vec<Compliance> = materials.iter().map(rigid).collect();
    if list.iter().all(|c| *c == Compliance::RIGID) { Vec::new() } else { list }
}

/// `[[spring]]`, with rest lengths that are not given measured at time 0.
pub fn springs(file: &SceneFile, named: &Named<'_>, report: &mut Report) -> Vec<Spring> {
    let bodies = named.bodies;
    let mut springs = Vec::new();
    for (i, e) in file.spring.iter().enumerate() {
        let mut check = report.at(format!("spring[{i}] {:?}", e.between));
        let known = spring(e, named, &mut check);
        // Bodies of a fill are placed later: springs hold on to bodies that are written down.
        let fixed = |id: usize| bodies.get(id).is_some_and(|b| b.fixed);
        match known {
            Some(s) if s.bodies[0] == s.bodies[1] => {
                check.fault("between", format!("{:?}", e.between), "must be two bodies");
            }
            Some(s) if s.bodies.iter().any(|id| *id >= bodies.len()) => {
                check.fault("between", format!("{:?}", e.between), "must not be bodies of a fill");
            }
            Some(s) if s.bodies.iter().all(|id| fixed(*id)) => {
                let allowed = "at least one of the two must be a body that moves";
                check.fault("between", format!("{:?}", e.between), allowed);
            }
            Some(mut s) => {
                if e.rest_length.is_none() {
                    let ends = [0, 1].map(|k| bodies[s.bodies[k]].pose.point(&s.points[k]));
                    s.rest_length = (ends[1] - ends[0]).norm();
                }
                springs.push(s);
            }
            None => {}
        }
    }
    springs
}

fn spring(e: &SpringEntry, named: &Named<'_>, check: &mut Check) -> Option<Spring> {
    let mut find = |name: &String| {
        if !named.ids.contains_key(name) {
            check.unknown("between", name, "body", &named.listed);
        }
        named.ids.get(name).copied()
    };
    let (first, second) = (find(&e.between[0]), find(&e.between[1]));
    let points = [check.vector("points", e.points[0]), check.vector("points", e.points[1])];
    let stiffness = check.not_negative("stiffness", e.stiffness);
    let damping = check.not_negative("damping", e.damping);
    let rest_length = e.rest_length.map_or(0.0, |l| check.not_negative("rest_length", l));
    let bodies = [first?, second?];
    let points = [0, 1].map(|k| named.point(bodies[k], points[k]));
    Some(Spring { bodies, points, stiffness, damping, rest_length })
}

/// The entries of a scene's springs.
pub fn springs_of(scene: &Scene) -> Vec<SpringEntry> {
    let entry = |s: &Spring| SpringEntry {
        between: s.bodies.map(|id| scene.bodies[id].name.clone()),
        points: s.points.map(Into::into),
        stiffness: s.stiffness,
        damping: s.damping,
        rest_length: Some(s.rest_length),
    };
    scene.springs.iter().map(entry).collect()
}
