//! Derivatives of steps in which bodies strike each other, against differences of steps that are solved
//! again.
//!
//! `cargo test --release --test robustness impact_derivatives -- --ignored --nocapture` judges 300 scenes.

#![allow(clippy::print_stderr, reason = "the rows are what the ignored test is for")]

use crate::derivatives::{COLUMNS, keep, outcome_of};
use crate::jointed_scenes::shape_of;
use nalgebra::{UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use signorini::simulation::Simulation;
use signorini::step::StepPhase;
use signorini_runs::derivative::JudgeOptions;
use signorini_scene::scene::{LoadOptions, Scene, parse};
use std::fmt::Write as _;
use std::path::Path;

/// Steps in which something has to strike.
const WITHIN: usize = 120;

/// Some bodies that fly at each other over a floor: ellipsoids and boxes, by Newton's or Poisson's law, some
/// on a joint.
fn scene(seed: u64) -> (Scene, String) {
    let mut random = Pcg64Mcg::seed_from_u64(0x1a9ac7 + seed);
    let mut pick = |of: &[f64]| of[random.random_range(0..of.len())];
    let (friction, restitution) = (pick(&[0.0, 0.1, 0.3, 0.6]), pick(&[0.2, 0.5, 0.8]));
    let (step, torsion, rolling) = (pick(&[0.002, 0.005]), pick(&[0.0, 0.01]), pick(&[0.0, 0.0, 0.003]));
    let is_heavy = pick(&[0.0, 1.0]) > 0.0;
    let law = ["newton", "poisson"][seed as usize % 2];
    let gravity = if is_heavy { 9.81 } else { 0.0 };
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = {step:?}\nduration = 1\ngravity = [0, 0, -{gravity:?}]\n[[friction]]\n\
         coefficient = {friction:?}\nrestitution = {restitution:?}\nrestitution_law = \"{law}\"\nrolling = {rolling:?}\n\
         ellipsoid = {{ t = 1, o = 1, r = {torsion:?} }}\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = -0.3 }}\n"
    );
    let count = random.random_range(2..=5);
    for k in 0..count {
        let mut three = |most: f64| Vector3::<f64>::from_fn(|_, _| random.random_range(-most..most));
        let angle = f64::from(k) / f64::from(count) * std::f64::consts::TAU;
        let at = Vector3::new(angle.cos(), angle.sin(), 0.0) * 0.16 + three(0.01);
        let (velocity, spin, turn) = (at * -6.0 + three(0.3), three(3.0), three(3.0));
        let size = three(0.015) + Vector3::new(0.05, 0.06, 0.07);
        let shape = shape_of((seed / 2 + k as u64) % 3, size);
        let turn = UnitQuaternion::from_scaled_axis(turn);
        let _ = write!(
            text,
            "[[body]]\nname = \"body-{k}\"\ndensity = 1000\nshape = {shape}\nposition = {:?}\norientation = {:?}\n\
             velocity = {:?}\nangular_velocity = {:?}\n",
            <[f64; 3]>::from(at),
            [turn.w, turn.i, turn.j, turn.k],
            <[f64; 3]>::from(velocity),
            <[f64; 3]>::from(spin),
        );
    }
    if seed % 5 == 4 {
        text += "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\nbetween = [\"body-0\", \"body-1\"]\nanchor = [0, 0, 0.1]\n\
                 axis = [0, 1, 0]\n";
    }
    (parse(&text, Path::new("strike"), &LoadOptions::default()).expect("a scene").scene, text)
}

/// Steps before the nth one in which something strikes.
fn first_strike(scene: &Scene) -> Option<usize> {
    let mut simulation = Simulation::new(scene.clone()).expect("a simulation");
    (0..WITHIN).find(|_| {
        simulation.advance();
        simulation.contacts().iter().any(|contact| contact.phase != StepPhase::Whole)
    })
}

/// Numbers of scenes by outcome, in the order of [`COLUMNS`].
fn judge_all(seeds: std::ops::Range<u64>, steps: usize) -> [usize; 6] {
    let mut table = [0; 6];
    for seed in seeds {
        let (scene, text) = scene(seed);
        let Some(first) = first_strike(&scene) else { continue };
        let outcome = outcome_of(scene, &JudgeOptions { first, steps, directions: 2, seed });
        keep(&outcome, &format!("strike-{seed}-first-{first}-over-{steps}"), &text);
        table[outcome.column()] += 1;
    }
    table
}

#[test]
fn derivatives_of_impacts_agree_with_differences() {
    for (seeds, steps, least) in [(0..10, 1, 8), (10..13, 8, 2)] {
        let table = judge_all(seeds, steps);
        assert!(table[0] + table[1] >= least && table[5] == 0, "{COLUMNS}: {table:?}");
    }
}

#[test]
#[ignore = "400 scenes: a minute"]
fn derivatives_of_many_impacts_agree_with_differences() {
    for (steps, seeds) in [(1, 0..300), (10, 0..100)] {
        let table = judge_all(seeds, steps);
        eprintln!("{steps} steps: {COLUMNS}: {table:?}");
        assert_eq!(table[5], 0);
    }
}
