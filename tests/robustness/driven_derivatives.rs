//! Derivatives of steps beside bodies with prescribed motion, against differences of steps that are solved
//! again.
//!
//! `cargo test --release --test robustness driven_derivatives -- --ignored --nocapture` judges 250 scenes, or
//! those of `SEEDS=10..20`.

#![allow(clippy::print_stderr, reason = "the rows are what the ignored test is for")]

use crate::derivatives::{COLUMNS, keep, outcome_of, seeds};
use crate::jointed_scenes::{joint, shape_of};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini_runs::derivative::JudgeOptions;
use signorini_scene::scene::{LoadOptions, parse};
use std::fmt::Write as _;
use std::path::Path;
use support::runs::Run;

/// Motions of a tray: it rocks and shakes, a table that turns carries it, it goes through poses, or it is
/// accelerated.
fn motions(kind: u64) -> &'static str {
    match kind {
        0 => {
            "[[motion]]\nbody = \"tray\"\naxis = [0.6, 0.8, 0]\ncenter = [0.1, 0, -0.1]\nposition = { type = \"sine\", \
             amplitude = 0.1, frequency = 2 }\n[[motion]]\nbody = \"tray\"\ndirection = [0.6, 0, 0.8]\nposition = \
             { type = \"sine\", amplitude = 0.02, frequency = 3 }\n"
        }
        1 => {
            "[[body]]\nname = \"table\"\nshape = { type = \"sphere\", radius = 0.05 }\nposition = [0.3, 0.2, -2]\n\
             [[motion]]\nbody = \"table\"\naxis = [0, 0.1, 1]\nvelocity = { type = \"constant\", value = 1.5 }\n\
             [[motion]]\nbody = \"tray\"\nrelative_to = \"table\"\ndirection = [1, 0, 0]\nvelocity = { type = \"sine\", \
             amplitude = 0.3, frequency = 1.5 }\n"
        }
        2 => {
            "[[motion]]\nbody = \"tray\"\nposes = { times = [0, 0.4, 1], positions = [[0, 0, 0], [0.3, 0.1, 0], \
             [0.3, 0.4, 0.2]], orientations = [[1, 0, 0, 0], [0.988716, 0.049935, 0.099870, 0.099870], [0.974943, -0.099484, 0.000000, 0.198968]] }\n"
        }
        _ => {
            "[[motion]]\nbody = \"tray\"\ndirection = [1, 0.5, 0]\nacceleration = { type = \"sine\", amplitude = 6, \
             frequency = 1, phase = 0.3 }\n"
        }
    }
}

/// Bodies on a tray, and one that hangs from a body which moves, too.
fn scene(seed: u64) -> String {
    let mut random = Pcg64Mcg::seed_from_u64(0xd12_1e7 + seed);
    let mut pick = |of: &[f64]| of[random.random_range(0..of.len())];
    let (friction, restitution) = (pick(&[0.1, 0.3, 0.6]), pick(&[0.0, 0.0, 0.6]));
    let (step, torsion, rolling) = (pick(&[0.002, 0.005]), pick(&[0.0, 0.01]), pick(&[0.0, 0.003]));
    // Cohesion has no impact phase.
    let cohesion = if restitution > 0.0 { 0.0 } else { pick(&[0.0, 0.3]) };
    let law = ["newton", "poisson"][(seed / 4) as usize % 2];
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = 1\n[[friction]]\ncoefficient = {friction:?}\n\
         restitution = {restitution:?}\nrestitution_law = \"{law}\"\nrolling = {rolling:?}\ncohesion = {cohesion:?}\n\
         ellipsoid = {{ t = 1, o = 1, r = {torsion:?} }}\n[[body]]\nname = \"tray\"\n\
         shape = {{ type = \"box\", half_extents = [0.6, 0.6, 0.05] }}\nposition = [0, 0, -0.05]\n"
    );
    text += motions(seed % 4);
    for k in 0..random.random_range(1..=4_i32) {
        let mut three = |most: f64| Vector3::<f64>::from_fn(|_, _| random.random_range(-most..most));
        let angle = f64::from(k) * 1.6;
        let at = Vector3::new(angle.cos() * 0.16, angle.sin() * 0.16, 0.12) + three(0.01);
        let (turn, size) = (three(0.4), three(0.015) + Vector3::repeat(0.06));
        // Flat pairs have no cohesion.
        let kinds = if cohesion > 0.0 { 2 } else { 3_i32 };
        let shape = shape_of(random.random_range(0..kinds) as u64, size);
        text += &body(&format!("body-{k}"), &shape, &at, &UnitQuaternion::from_scaled_axis(turn));
    }
    if !seed.is_multiple_of(3) {
        let mut three = |most: f64| Vector3::<f64>::from_fn(|_, _| random.random_range(-most..most));
        let (at, anchor) =
            (Vector3::new(0.7, 0.1, 0.5) + three(0.02), Vector3::new(0.7, 0.0, 0.6) + three(0.02));
        let axis = (three(1.0) + Vector3::y() * 2.0).normalize();
        let across = axis.cross(&Vector3::x()).normalize();
        let (kind, drive) = joint(random.random_range(0..7), &axis, &across, 0.5);
        text += "[[body]]\nname = \"post\"\nshape = { type = \"sphere\", radius = 0.03 }\nposition = [0.7, 0, 0.7]\n\
                 [[motion]]\nbody = \"post\"\naxis = [0, 0.6, 0.8]\ncenter = [0.5, 0, 0.6]\nposition = { type = \"sine\", \
                 amplitude = 0.3, frequency = 1 }\n";
        text +=
            &body("hanging", &shape_of(0, Vector3::new(0.05, 0.06, 0.07)), &at, &UnitQuaternion::identity());
        let _ = write!(
            text,
            "[[joint]]\nname = \"pin\"\nbetween = [\"post\", \"hanging\"]\nanchor = {:?}\n{kind}\n",
            <[f64; 3]>::from(anchor)
        );
        text += &drive.replace("JOINT", "pin");
    }
    text
}

fn body(name: &str, shape: &str, at: &Vector3<f64>, turn: &UnitQuaternion<f64>) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\ndensity = 1000\nshape = {shape}\nposition = {:?}\norientation = {:?}\n",
        <[f64; 3]>::from(*at),
        [turn.w, turn.i, turn.j, turn.k],
    )
}

/// Numbers of scenes by outcome, in the order of [`COLUMNS`].
fn judge_all(seeds: std::ops::Range<u64>, steps: usize) -> [usize; 6] {
    let mut table = [0; 6];
    for seed in seeds {
        let text = scene(seed);
        let loaded = parse(&text, Path::new("driven"), &LoadOptions::default()).expect("a scene");
        let first = 20 + (seed * 7 % 90) as usize;
        let outcome = outcome_of(loaded.scene, &JudgeOptions { first, steps, directions: 2, seed });
        keep(&outcome, &format!("driven-{seed}-first-{first}-over-{steps}"), &text);
        table[outcome.column()] += 1;
    }
    table
}

#[test]
fn derivatives_beside_driven_bodies_agree_with_differences() {
    for (seeds, steps, least) in [(0..16, 1, 12), (16..20, 8, 2)] {
        let table = judge_all(seeds, steps);
        assert!(table[0] + table[1] >= least && table[5] == 0, "{COLUMNS}: {table:?}");
    }
}

#[test]
#[ignore = "250 scenes: minutes"]
fn derivatives_beside_many_driven_bodies_agree_with_differences() {
    for (steps, usual) in [(1, 0..200), (10, 0..50)] {
        let table = judge_all(seeds(usual), steps);
        eprintln!("{steps} steps: {COLUMNS}: {table:?}");
        assert_eq!(table[5], 0);
    }
}

/// A door that hangs on a frame which turns, with a limit that is closed where a ball strikes it.
const DOOR: &str = "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.2\ngravity = [0, 0, 0]\n[solver]\n\
    impact_phase = true\n[[friction]]\ncoefficient = 0.3\nrestitution = 0.5\n[[body]]\nname = \"frame\"\n\
    shape = { type = \"sphere\", radius = 0.05 }\nposition = [0, -0.6, 0]\n[[motion]]\nbody = \"frame\"\n\
    axis = [0.2, 0.1, 1]\ncenter = [0.3, 0.2, 0]\nvelocity = { type = \"sine\", offset = 1, amplitude = 0.3, \
    frequency = 2 }\n[[body]]\nname = \"door\"\nmass = 1\nshape = { type = \"box\", half_extents = [0.05, 0.3, \
    0.2] }\nvelocity = [0.1, 0, 0]\nangular_velocity = [0.1, 0.1, 1]\n[[body]]\nname = \"ball\"\nmass = 1\n\
    shape = { type = \"sphere\", radius = 0.1 }\nposition = [-0.22, 0.1, 0.02]\nvelocity = [2, 0, 0]\n[[joint]]\n\
    name = \"hinge\"\ntype = \"revolute\"\nbetween = [\"frame\", \"door\"]\nanchor = [0, -0.4, 0]\n\
    axis = [0, 0, 1]\nangle_limits = [0, 2]\n";

#[test]
fn a_limit_in_an_impact_goes_with_the_body_that_is_driven() {
    let load = || parse(DOOR, Path::new("door"), &LoadOptions::default()).expect("a scene").scene;
    let mut run = Run::new(load());
    run.steps(4);
    let joints = run.simulation.joints();
    assert!(joints.iter().any(|joint| joint.span.is_impact() && joint.limit[1] > 1.0), "{joints:?}");
    let outcome = outcome_of(load(), &JudgeOptions { first: 3, steps: 1, directions: 2, seed: 1 });
    assert_eq!(outcome.column(), 0, "{outcome:?}");
}
