//! Beds of bodies without walls: a small granular bed comes to rest in a periodic box, is laid out again and
//! again, and shaken. The whole granular bed is one island that moves.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Value, json};
use signorini::simulation::{OnBackend, Simulation};
use signorini_backend::{Backend, Guarded};
use signorini_error::Error;
use signorini_geometry::Velocity;
use signorini_scene::scene::{LoadOptions, Scene, parse};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Shapes of the bodies of a granular bed.
pub const SHAPES: [(&str, &str); 2] = [
    ("ellipsoids", "{ type = \"ellipsoid\", semi_axes = [0.10, 0.07, 0.05] }"),
    ("boxes", "{ type = \"box\", half_extents = [0.06, 0.06, 0.06] }"),
];
/// Number of bodies of the small granular bed.
const BODIES: usize = 64;
/// Length of the box of the small granular bed (m).
const LENGTH: f64 = 0.6;
/// Simulated time given to the granular bed to come to rest (s).
const SETTLING_TIME: f64 = 1.5;
/// Tolerance of all steps: large, so that the steps are swept.
const TOLERANCE: f64 = 1e-3;
/// Largest speed of shaken bodies along each axis (m/s).
const SHAKING_SPEED: f64 = 0.2;
/// Most steps of a granular bed.
const STEPS: usize = 3;
/// Time after which no step is begun (s).
const LAST_START: f64 = 10.0;
/// Longest time of a step for each body (s).
const SECONDS_PER_BODY: f64 = 1e-3;
/// Longest time of a step of few bodies (s).
const SECONDS_OF_FEW_BODIES: f64 = 15.0;

/// Makes a small granular bed at rest, or what it is after so many seconds of the clock.
///
/// # Errors
/// When the scene is refused.
pub fn settle(shape: &str, seconds: f64) -> Result<Scene, Error> {
    let mut scene = parse(&text(shape), Path::new("bed.toml"), &LoadOptions::default())?.scene;
    scene.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(scene)?;
    simulation.judge_steps(false);
    let (start, time_step) = (Instant::now(), simulation.scene().time_step);
    let mut waited = 0.0;
    while waited < SETTLING_TIME && start.elapsed().as_secs_f64() < seconds {
        simulation.advance();
        waited += time_step;
    }
    let mut scene = simulation.scene().clone();
    let state = simulation.state();
    for (body, (pose, velocity)) in scene.bodies.iter_mut().zip(state.poses.iter().zip(&state.velocities)) {
        (body.pose, body.velocity) = (*pose, *velocity);
    }
    Ok(scene)
}

fn text(shape: &str) -> String {
    let half = 0.5 * LENGTH;
    format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = {SETTLING_TIME}\nseed = 1\n\
         [periodic]\nx = [-{half}, {half}]\ny = [-{half}, {half}]\n\
         [[friction]]\ncoefficient = 0.5\nellipsoid = {{ t = 1, o = 1, r = 0.02 }}\n\
         [[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n\
         [[fill]]\nname = \"grain\"\ncount = {BODIES}\ndensity = 1000\nshape = {shape}\n\
         region = {{ min = [-{half}, -{half}, 0], max = [{half}, {half}, 1.4] }}\n"
    )
}

/// Lays out as many small beds side by side as `n` bodies take, in a box that fits them, shaken.
pub fn tile(small: &Scene, n: usize) -> Scene {
    let side = (n as f64 / BODIES as f64).sqrt().ceil().max(1.0) as usize;
    let mut scene = small.clone();
    let mut random = Pcg64::seed_from_u64(1);
    let mut shaken = || Vector::from_fn(|_, _| random.random_range(-SHAKING_SPEED..SHAKING_SPEED));
    scene.bodies.retain(|body| body.fixed);
    for k in 0..side * side {
        for body in small.bodies.iter().filter(|body| !body.fixed) {
            let mut body = body.clone();
            body.name = format!("{}-{k}", body.name);
            body.pose.position.x += LENGTH * (k % side) as f64;
            body.pose.position.y += LENGTH * (k / side) as f64;
            body.velocity = Velocity { linear: body.velocity.linear + shaken(), ..body.velocity };
            scene.bodies.push(body);
        }
    }
    if let Some(periodic) = &mut scene.periodic {
        let span = [-0.5 * LENGTH, (side as f64 - 0.5) * LENGTH];
        periodic.spans = [Some(span), Some(span), None];
    }
    scene
}

type Vector = nalgebra::Vector3<f64>;

/// Takes steps of a granular bed in the seconds `left`; returns the times of the set-up and of the quickest
/// step, too.
///
/// # Errors
/// When the scene is refused.
pub fn steps(mut scene: Scene, backend: Option<Arc<dyn Backend>>, left: f64) -> Result<(Value, f64), Error> {
    let begun = Instant::now();
    let bodies = scene.bodies.iter().filter(|body| !body.fixed).count();
    let seconds = (SECONDS_PER_BODY * bodies as f64).max(SECONDS_OF_FEW_BODIES);
    scene.solver.wall_limit = Some(seconds.min(left).max(1.0));
    let mut simulation = Simulation::new(scene)?;
    simulation.judge_steps(false);
    if let Some(backend) = backend {
        simulation.use_backend(Guarded::new(backend))?;
    }
    let set_up = begun.elapsed().as_secs_f64();
    let (mut steps, mut quickest) = (Vec::new(), f64::INFINITY);
    while steps.len() < STEPS && (steps.is_empty() || begun.elapsed().as_secs_f64() < LAST_START) {
        let start = Instant::now();
        let info = simulation.advance().info;
        let (t, whole) = (&info.times, start.elapsed().as_secs_f64());
        quickest = quickest.min(whole);
        steps.push(json!({
            "whole_seconds": whole,
            "broad_phase_seconds": info.broad_seconds,
            "geometry_seconds_summed_over_islands": t.geometry,
            "assembly_seconds_summed_over_islands": t.assembly,
            "factor_seconds_summed_over_islands": t.factor,
            "solve_seconds_summed_over_islands": t.solve,
            "residual_scaled": info.residual.max(),
            "status": format!("{:?}", info.status),
            "sweeps_count": info.sweeps,
            "newton_iterations_count": info.iterations,
            "islands_count": info.n_islands,
            "contacts_count": info.n_contacts,
        }));
    }
    let failed = simulation.backend().and_then(Guarded::failed).map(|fault| fault.to_string());
    let found = json!({
        "moving_bodies_count": bodies,
        "tolerance_scaled": TOLERANCE,
        "set_up_seconds": set_up,
        "steps": steps,
        "failed": failed,
    });
    Ok((found, set_up + quickest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bed twice as long along both axes has four times as many bodies and contacts, in one island.
    #[test]
    fn beds_are_laid_out_as_one_island() {
        let small = settle(SHAPES[0].1, 12.0).expect("a bed");
        let [one, four] = [BODIES, 4 * BODIES].map(|n| steps(tile(&small, n), None, 20.0));
        let [one, four] = [one, four].map(|found| found.expect("steps").0);
        let count = |found: &Value, what: &str| found["steps"][0][what].as_f64().unwrap();
        assert_eq!(count(&four, "islands_count"), 1.0, "{four}");
        let ratio = count(&four, "contacts_count") / count(&one, "contacts_count");
        assert!((3.0..5.0).contains(&ratio), "{one} {four}");
        assert!(count(&four, "sweeps_count") > 0.0, "{four}");
    }
}
