//! A sphere that rolls without slipping keeps its energy, whatever the time step: nothing slides, so nothing
//! is lost (Chakraborty et al. 2007, example 1; polygonal wheels lose energy here).
//!
//! `cargo run --example rolling_disc`

#![allow(clippy::print_stdout)]

use signorini::prelude::*;
use std::path::Path;

fn main() -> signorini::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/seeds/rolling-disc.toml");
    for time_step in [0.1, 0.01, 0.001] {
        let mut scene = Scene::load(&file)?;
        scene.time_step = time_step;
        let mut simulation = Simulation::new(scene)?;
        let start = simulation.kinetic_energy();
        let mut largest_change = 0.0_f64;
        let mut n_steps = 0;
        for outcome in simulation.run() {
            assert!(outcome.is_good(), "step {}", outcome.step);
            let energy = outcome.verdict.map_or(f64::NAN, |verdict| verdict.kinetic_energy);
            largest_change = largest_change.max((energy / start - 1.0).abs());
            n_steps += 1;
        }
        println!(
            "h = {time_step} s, {n_steps} steps: kinetic energy changed by {largest_change:.1e} at most"
        );
        assert!(largest_change < 1e-12);
    }
    Ok(())
}
