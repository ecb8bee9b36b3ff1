//! Piles in a box and a wall: every step solved and green, from the fall through the impacts to rest.

use signorini_scene::scene::Scene;
use support::runs::{Run, changed, shipped};

#[test]
fn pile_of_64_falls_and_hits() {
    let mut run = Run::new(shipped("granular/ellipsoids-64.toml"));
    run.steps(60);
    assert!(run.contacts().iter().filter(|c| c.normal_impulse > 0.0).count() > 64, "it has landed");
}

#[test]
#[ignore = "half a minute in release"]
fn pile_of_64_comes_to_rest() {
    let mut run = Run::new(shipped("granular/ellipsoids-64.toml"));
    let highest = |run: &Run| run.state().velocities.iter().map(|v| v.linear.norm()).fold(0.0, f64::max);
    run.steps(40);
    let falling = highest(&run);
    run.run_to_the_end();
    assert!(highest(&run) < 1e-2 * falling, "{} m/s of {falling}", highest(&run));
}

/// The box of `ellipsoids-64`, 1.5 times as wide, with 216 bodies.
pub fn pile_of_216() -> Scene {
    let wider = [
        ("count = 64", "count = 216"),
        ("-0.3, -0.3, 0", "-0.45, -0.45, 0"),
        ("0.3, 0.3, 1]", "0.45, 0.45, 1.5]"),
    ];
    let scene = changed("granular/ellipsoids-64.toml", &wider);
    assert_eq!(scene.bodies.iter().filter(|b| !b.fixed).count(), 216);
    scene
}

#[test]
#[ignore = "minutes in release"]
fn pile_of_216_comes_to_rest() {
    Run::new(pile_of_216()).run_to_the_end();
}

#[test]
fn cubes_of_64_fall_and_hit() {
    let mut run = Run::new(shipped("granular/cubes-64.toml"));
    run.steps(60);
    assert!(run.contacts().iter().filter(|c| c.normal_impulse > 0.0).count() > 40, "they have landed");
}

#[test]
#[ignore = "a quarter of a minute in release"]
fn cubes_of_64_come_to_rest() {
    let mut run = Run::new(shipped("granular/cubes-64.toml"));
    run.run_to_the_end();
    let fastest = run.state().velocities.iter().map(|v| v.linear.norm()).fold(0.0, f64::max);
    assert!(fastest < 1e-6, "{fastest} m/s");
}

/// The bottom course carries the wall: the floor's impulses are its weight.
#[test]
fn a_wall_of_50_stands() {
    let mut run = Run::new(shipped("granular/wall-50.toml"));
    run.steps(12);
    let weight: f64 = run.scene().bodies.iter().map(|b| b.mass).sum::<f64>() * 9.81 * 0.005;
    let floor: f64 = run.contacts().iter().filter(|c| c.body_a == 0).map(|c| c.normal_impulse).sum();
    assert!((floor / weight - 1.0).abs() < 1e-6, "{floor} of {weight} N s");
    let fastest = run.state().velocities.iter().map(|v| v.linear.norm()).fold(0.0, f64::max);
    assert!(fastest < 1e-7, "{fastest} m/s");
}
