//! Piles of ellipsoids in a box: every step solved and green, from the fall through the impacts to rest.

mod runs;

use runs::{Run, shipped};
use signorini::scene::{LoadOptions, parse};
use std::path::Path;

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

/// The same box, 1.5 times as wide, with 216 bodies.
#[test]
#[ignore = "minutes in release"]
fn pile_of_216_comes_to_rest() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/granular/ellipsoids-64.toml");
    let text = std::fs::read_to_string(&file).expect("the scene of 64");
    let text = text
        .replace("count = 64", "count = 216")
        .replace("-0.3, -0.3, 0", "-0.45, -0.45, 0")
        .replace("0.3, 0.3, 1]", "0.45, 0.45, 1.5]");
    let scene = parse(&text, &file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")).scene;
    assert_eq!(scene.bodies.iter().filter(|b| !b.fixed).count(), 216);
    Run::new(scene).run_to_the_end();
}
