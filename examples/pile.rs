//! A pile in 15 lines, and a picture of it: ellipsoids fall on bricks between walls and come to rest.
//!
//! `cargo run --release --example pile` writes `pile.png`.

use signorini::prelude::*;
use signorini_runs::Picture;

fn main() -> signorini::Result<()> {
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(1.5).friction(Friction::coulomb(0.6));
    scene.container([-0.4, -0.4, 0.0], [0.4, 0.4, 2.0], false);
    for (k, x) in [-0.25, 0.0, 0.25].into_iter().enumerate() {
        let brick = Body::box_([0.12, 0.06, 0.04]).density(2000.0).turned([0.0, 0.0, 1.0], k as f64);
        scene.body(brick.at([x, 0.0, 0.0401]));
    }
    scene.fill(
        60,
        Body::ellipsoid([0.09, 0.07, 0.05]).density(1000.0),
        [-0.35, -0.35, 0.1],
        [0.35, 0.35, 1.3],
    );
    let mut simulation = Simulation::new(scene.build()?)?;
    for outcome in simulation.run() {
        assert!(outcome.is_good(), "step {}: {:?}", outcome.step, outcome.info);
    }
    Picture::of(&simulation).size(1200, 800).save("pile.png")
}
