//! Derivatives of steps of random scenes against differences of steps that are solved again.
//!
//! `cargo test --release --test robustness derivatives -- --ignored --nocapture` judges 500 scenes, those of
//! `SEEDS=100..200` where it is set, over 1 and 50 steps or those of `STEPS=1`; `KEEP=folder` writes those
//! that neither agree nor are on a border.

#![allow(clippy::print_stderr, reason = "the rows are what the ignored test is for")]

use crate::jointed_scenes::jointed_scene;
use crate::random_scenes::{compound_scene, rolling_scene, scene};
use signorini_runs::derivative::{JudgeOptions, Judged, judge};
use signorini_scene::scene::{LoadOptions, Scene, parse};
use std::path::Path;

/// Outcome of a scene, in the order of the table.
#[derive(Debug)]
pub enum Outcome {
    Agrees,
    /// The differences do not settle in some direction, and no border says why; the others agree.
    Unsettled,
    /// A contact is on a border, and some direction differs or does not settle.
    OnBorder,
    /// Contacts that hold contradict a direction.
    Overconstrained(Box<Judged>),
    /// An island has no derivative.
    Refused,
    Differs(Box<Judged>),
}

impl Outcome {
    /// Place in the table.
    pub fn column(&self) -> usize {
        match self {
            Outcome::Agrees => 0,
            Outcome::Unsettled => 1,
            Outcome::OnBorder => 2,
            Outcome::Overconstrained(_) => 3,
            Outcome::Refused => 4,
            Outcome::Differs(_) => 5,
        }
    }
}

fn outcome(seed: u64, steps: usize) -> Outcome {
    let text = match seed % 4 {
        0 => scene(seed),
        1 => compound_scene(seed),
        2 => jointed_scene(seed),
        _ => rolling_scene(seed / 4),
    };
    let loaded = parse(&text, Path::new("random"), &LoadOptions::default()).expect("a scene");
    let first = 20 + (seed % 50) as usize;
    let outcome = outcome_of(loaded.scene, &JudgeOptions { first, steps, directions: 2, seed });
    keep(&outcome, &format!("{seed}-first-{first}-over-{steps}"), &text);
    outcome
}

/// Writes a scene that neither agrees nor is on a border into the folder `KEEP`, where it is set.
pub fn keep(outcome: &Outcome, name: &str, text: &str) {
    if let (Some(folder), 1 | 3..) = (std::env::var_os("KEEP"), outcome.column()) {
        let name = format!("{name}-{}.toml", outcome.column());
        std::fs::write(Path::new(&folder).join(name), text).expect("written");
    }
    if let Outcome::Differs(judged) | Outcome::Overconstrained(judged) = outcome {
        eprintln!("{name}: {judged:?}");
    }
}

/// The seeds of `SEEDS`, or these.
pub fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("SEEDS") else { return usual };
    let (from, to) = text.split_once("..").expect("SEEDS=100..200");
    from.parse().expect("a number")..to.parse().expect("a number")
}

/// Outcome of a judge.
pub fn outcome_of(scene: Scene, options: &JudgeOptions) -> Outcome {
    let judgement = judge(scene, options).expect("it has derivatives");
    if !judgement.obstacles.is_empty() {
        return Outcome::Refused;
    }
    let is_on_border = !judgement.borders.is_empty();
    let of = |is: fn(&Judged) -> bool| judgement.judged.iter().any(is);
    let is_unsettled = of(|judged| !judged.is_judged());
    // Impulses of overconstrained bodies are not those of the problem, whatever the direction.
    if let Some(overconstrained) = judgement.judged.iter().find(|judged| judged.is_overconstrained()) {
        return Outcome::Overconstrained(Box::new(overconstrained.clone()));
    }
    match judgement.judged.into_iter().find(|judged| !judged.agrees()) {
        Some(_) if is_on_border => Outcome::OnBorder,
        Some(judged) => Outcome::Differs(Box::new(judged)),
        None if is_unsettled && is_on_border => Outcome::OnBorder,
        None if is_unsettled => Outcome::Unsettled,
        None => Outcome::Agrees,
    }
}

pub const COLUMNS: &str = "agree, unsettled, on a border, overconstrained, refused, differ";

/// Numbers of scenes by outcome, in the order of [`COLUMNS`].
fn judge_all(seeds: std::ops::Range<u64>, steps: usize) -> [usize; 6] {
    let mut table = [0; 6];
    for seed in seeds {
        table[outcome(seed, steps).column()] += 1;
        if seed % 25 == 24 {
            eprintln!("to seed {seed}, {steps} steps: {COLUMNS}: {table:?}");
        }
    }
    table
}

#[test]
fn derivatives_agree_with_differences() {
    for (seeds, steps, least) in [(0..9, 1, 6), (9..12, 10, 1)] {
        let table = judge_all(seeds, steps);
        assert!(table[0] + table[1] >= least && table[5] == 0, "{COLUMNS}: {table:?}");
    }
}

#[test]
#[ignore = "500 scenes: half an hour"]
fn derivatives_of_many_scenes_agree_with_differences() {
    let only = std::env::var("STEPS").map(|steps| steps.parse::<usize>().expect("a number")).ok();
    for steps in [1, 50].into_iter().filter(|steps| only.is_none_or(|only| only == *steps)) {
        let table = judge_all(seeds(0..500), steps);
        eprintln!("{steps} steps: {COLUMNS}: {table:?}");
        assert_eq!(table[5], 0);
    }
}
