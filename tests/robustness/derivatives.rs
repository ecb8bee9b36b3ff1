//! Derivatives of steps of random scenes against differences of steps that are solved again.
//!
//! `cargo test --release --test robustness derivatives -- --ignored --nocapture` judges 500 scenes.

#![allow(clippy::print_stderr, reason = "the rows are what the ignored test is for")]

use crate::random_scenes::{compound_scene, rolling_scene, scene};
use signorini_runs::derivative::{JudgeOptions, Judged, judge};
use signorini_scene::scene::{LoadOptions, parse};
use std::path::Path;

/// Outcome of a scene.
enum Outcome {
    Agrees,
    /// A contact is on a border, bodies are jammed, or an island has no derivative.
    Excused,
    Differs(Judged),
}

fn outcome(seed: u64, steps: usize) -> Outcome {
    let text = match seed % 3 {
        0 => scene(seed),
        1 => compound_scene(seed),
        _ => rolling_scene(seed),
    };
    let loaded = parse(&text, Path::new("random"), &LoadOptions::default()).expect("a scene");
    let options = JudgeOptions { first: 20 + (seed % 50) as usize, steps, directions: 2, seed };
    let judgement = judge(loaded.scene, &options).expect("it has derivatives");
    let is_jammed = judgement.judged.iter().any(Judged::is_jammed);
    let is_excused = is_jammed || !judgement.borders.is_empty() || !judgement.obstacles.is_empty();
    match judgement.judged.into_iter().find(|judged| !judged.agrees()) {
        None if !is_jammed => Outcome::Agrees,
        None => Outcome::Excused,
        Some(_) if is_excused => Outcome::Excused,
        Some(judged) => Outcome::Differs(judged),
    }
}

/// Judges scenes; returns how many agree.
fn judge_all(seeds: std::ops::Range<u64>, steps: usize) -> usize {
    let mut agree = 0;
    for seed in seeds {
        match outcome(seed, steps) {
            Outcome::Agrees => agree += 1,
            Outcome::Excused => eprintln!("seed {seed}: on a border, jammed, or without a derivative"),
            Outcome::Differs(judged) => panic!("seed {seed}: {judged:?}"),
        }
    }
    agree
}

#[test]
fn derivatives_agree_with_differences() {
    assert!(judge_all(0..9, 1) >= 6);
    assert!(judge_all(9..12, 10) >= 1);
}

#[test]
#[ignore = "500 scenes: half an hour"]
fn derivatives_of_many_scenes_agree_with_differences() {
    for steps in [1, 50] {
        eprintln!("{steps} steps: {} of 500 agree in all directions", judge_all(0..500, steps));
    }
}
