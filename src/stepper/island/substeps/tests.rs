//! Tests of substeps alone: no step fails before it is halved.

use crate::contact::Models;
use crate::step::{Loads, Span};
use crate::stepper::island::Island;
use crate::stepper::island::substeps::policy::SubstepPolicy;
use crate::stepper::island::substeps::redo_in_substeps;
use crate::stepper::placed_bodies::PlacedBodies;
use crate::stepper::step_context::{StepContext, solve_options};
use nalgebra::Vector3;
use signorini_ncp::solver::{SolveOptions, SolveStatus};
use signorini_scene::scene::{self, LoadOptions, Scene};
use std::path::Path;

/// Two balls of radius 0.1 m, one of which flies right through the other within a step of 0.1 s if overlaps
/// are found only at its end.
fn bullet() -> Scene {
    let text = "format = 1
[simulation]
time_step = 0.1
duration = 0.1
gravity = [0, 0, 0]
[solver]
tolerance = 1e-8
[[friction]]
coefficient = 0.3
[[body]]
name = \"bullet\"
shape = { type = \"sphere\", radius = 0.1 }
mass = 1
velocity = [10, 0, 0]
[[body]]
name = \"target\"
shape = { type = \"sphere\", radius = 0.1 }
mass = 2
position = [0.5, 0.02, 0]
";
    scene::parse(text, Path::new("bullet"), &LoadOptions::default()).unwrap().scene
}

/// Halves the step of an island of all bodies, without pairs.
fn halved(scene: &Scene, change: impl Fn(&mut Island)) -> Island {
    let models = Models::of(scene);
    let state = scene.initial_state();
    let mut loads = Loads::default();
    loads.gather(scene, 0);
    let mut placed = PlacedBodies::default();
    placed.place(&models, &state, &loads, scene.time_step);
    let context = StepContext::new(scene, &state, &loads, (&models, &[]), &placed);
    let local_of: Vec<usize> = (0..scene.bodies.len()).collect();
    let options = SolveOptions { iterations: 2000, ..solve_options(&scene.solver) };
    let policy =
        SubstepPolicy { local_of: &local_of, options: &options, settings: &scene.solver, max_halvings: 5 };
    let mut island = Island::default();
    island.problem.bodies.clone_from(&local_of);
    change(&mut island);
    redo_in_substeps(&mut island, &context, &policy);
    island
}

#[test]
fn bodies_that_meet_within_the_step_are_found_at_the_end_of_a_substep() {
    let island = halved(&bullet(), |_| ());
    assert_eq!(island.status, SolveStatus::SolvedByHalving);
    let spans: Vec<Span> = island.substep_records.substeps.iter().map(|s| s.span).collect();
    assert_eq!(spans, Span::WHOLE.halves());
    assert_eq!(island.substep_records.contacts.len(), 2, "the pair is listed from then on");
    let met = &island.substep_records.contacts[0];
    assert!(met.span.end == 0.5 && met.normal_impulse > 1.0 && met.gap.abs() < 1e-9, "{met:?}");
    let [bullet, target] = [0, 1].map(|i| island.substep_records.substeps[1].bodies[i].velocity.linear.x);
    assert!((bullet + 2.0 * target - 10.0).abs() < 1e-6 && target > 0.5, "{bullet} {target}");
}

#[test]
fn pairs_are_left_as_after_a_step_in_one_piece() {
    let mut scene = bullet();
    // The balls rest against each other and are pressed together.
    for (i, force) in [6.0, -6.0].into_iter().enumerate() {
        scene.bodies[i].velocity.linear = Vector3::zeros();
        scene.bodies[i].force = Vector3::x() * force;
    }
    scene.bodies[1].pose.position = Vector3::x() * 0.2;
    let frame = (Vector3::x(), Vector3::z());
    let island = halved(&scene, |island| {
        let friction = *scene.friction.between(0, 0);
        let parts = Models::of(&scene).parts;
        let mut pair = crate::contact::Pair::new(&parts[0], &parts[1], friction, false, ([0; 3], frame.0));
        pair.frame = frame;
        island.problem.pairs.push(Box::new(pair));
    });
    let pair = &island.problem.pairs[0];
    let force = 6.0 * scene.time_step;
    assert!((pair.impulse[0] - force).abs() < 1e-6, "{:?}: {force} N s in the whole step", pair.impulse);
    let fractions: Vec<f64> =
        island.substep_records.contacts.iter().map(|c| c.normal_impulse / force).collect();
    assert!(fractions.iter().all(|fraction| (fraction - 0.5).abs() < 1e-6), "{fractions:?}");
    assert_eq!(pair.frame, frame);
}
