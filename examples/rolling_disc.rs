//! A sphere that rolls without slipping keeps its energy, whatever the time step: nothing slides, so nothing
//! is lost (Chakraborty et al. 2007, example 1; polygonal wheels lose energy here).
//!
//! `cargo run --example rolling_disc`

#![allow(clippy::print_stdout)]

use signorini::scene::{self, LoadOptions, Overrides};
use signorini::simulation::Simulation;
use std::path::Path;

fn main() -> signorini::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/seeds/rolling-disc.toml");
    for time_step in [0.1, 0.01, 0.001] {
        let overrides = Overrides { step: Some(time_step), ..Overrides::default() };
        let options = LoadOptions { overrides, ..LoadOptions::default() };
        let mut simulation = Simulation::new(scene::load(&file, &options)?.scene)?;
        // m v²/2 + I ω²/2 with m = 1 kg, I = 2/5 kg m², v = 3 m/s, ω = 3 rad/s.
        let start = 0.5 * 9.0 + 0.5 * 0.4 * 9.0;
        let mut largest_change = 0.0_f64;
        while simulation.step_index() < simulation.scene().n_steps() {
            let outcome = simulation.advance();
            let verdict = outcome.verdict.expect("the referee judges every step");
            assert!(outcome.info.status.is_solved() && verdict.green, "step {}", outcome.step);
            largest_change = largest_change.max((verdict.kinetic_energy / start - 1.0).abs());
        }
        let n_steps = simulation.step_index();
        println!(
            "h = {time_step} s, {n_steps} steps: kinetic energy changed by {largest_change:.1e} at most"
        );
        assert!(largest_change < 1e-12);
    }
    Ok(())
}
