//! Rates of any backend per second: pairs with all transfers, and steps of a scene.

use serde_json::{Value, json};
use signorini::simulation::{OnBackend, Simulation};
use signorini_backend::{Backend, Batch, Evaluated, Fault, Guarded};
use signorini_error::Error;
use signorini_scene::scene::{LoadOptions, parse};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Scene whose steps are timed.
const SCENE: &str = include_str!("../../../scenes/granular/ellipsoids-64.toml");
/// Number of steps that are timed: the fall and the first impacts.
pub const STEPS: usize = 45;
/// Tolerance of all timed steps.
pub const TOLERANCE: f64 = 1e-8;
/// Time for which a measurement is repeated (s).
const MEASURING_TIME: f64 = 1.0;

/// Evaluations per second, input and output included.
pub fn pairs_per_second(backend: &dyn Backend, batch: &Batch) -> Result<f64, Fault> {
    let mut out = Evaluated::default();
    backend.evaluate(batch, &mut out)?;
    let (start, mut repeats) = (Instant::now(), 0);
    while repeats == 0 || start.elapsed().as_secs_f64() < MEASURING_TIME {
        backend.evaluate(batch, &mut out)?;
        repeats += 1;
    }
    Ok((repeats * batch.pairs.len()) as f64 / start.elapsed().as_secs_f64())
}

/// Steps per second of the pile; null when one is not solved.
pub fn steps_per_second(backend: Option<Arc<dyn Backend>>) -> Result<Value, Error> {
    let mut scene = parse(SCENE, Path::new("ellipsoids-64.toml"), &LoadOptions::default())?.scene;
    scene.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(scene)?;
    simulation.judge_steps(false);
    if let Some(backend) = backend {
        simulation.use_backend(Guarded::new(backend))?;
    }
    let (mut seconds, mut worst, mut iterations) = (0.0, 0.0_f64, 0);
    for _ in 0..STEPS {
        let outcome = simulation.advance();
        seconds += outcome.solve_time.as_secs_f64();
        worst = worst.max(outcome.info.residual.max());
        iterations += outcome.info.iterations;
    }
    Ok(json!({
        "steps_per_second": STEPS as f64 / seconds,
        "worst_residual": worst,
        "solved": worst <= TOLERANCE,
        "iterations": iterations,
    }))
}
