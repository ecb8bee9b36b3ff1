//! Many bodies at rest: a pile that has come to rest in a box, laid out again and again on one floor.
//!
//! The walls of each box are fixed flat ellipsoids, so that all pairs are smooth. Impulses are not kept: the
//! first step finds them from zero, the next ones start from them.

use super::rates::TOLERANCE;
use serde_json::{Value, json};
use signorini::simulation::{OnBackend, Simulation};
use signorini_backend::{Backend, Guarded};
use signorini_error::Error;
use signorini_geometry::Velocity;
use signorini_scene::scene::{Body, LoadOptions, Scene, parse};
use std::path::Path;
use std::sync::Arc;

/// Half axis of the walls across their plane (m).
const THICKNESS: f64 = 0.05;
/// Half axis of the walls along their plane (m).
const REACH: f64 = 2.5;
/// Distance of the boxes (m): walls of one must not touch the bodies of the next.
const PITCH: f64 = 6.0;
/// Simulated time given to a pile to come to rest (s).
const SETTLING_TIME: f64 = 4.0;

/// Makes as many whole piles of `pile` bodies at rest as `n` bodies take.
pub fn scene(n: usize, pile: usize) -> Result<Scene, Error> {
    let mut one = parse(&text(pile), Path::new("settled-pile.toml"), &LoadOptions::default())?.scene;
    one.solver.tolerance = TOLERANCE;
    let mut simulation = Simulation::new(one)?;
    simulation.judge_steps(false);
    let (mut waited, mut moves) = (0.0, true);
    while moves && waited < SETTLING_TIME {
        simulation.advance();
        waited += simulation.scene().time_step;
        moves = waited < 0.5 || simulation.state().velocities.iter().any(|v| *v != Velocity::default());
    }
    let mut scene = simulation.scene().clone();
    for (body, (pose, velocity)) in
        scene.bodies.iter_mut().zip(simulation.state().poses.iter().zip(&simulation.state().velocities))
    {
        (body.pose, body.velocity) = (*pose, *velocity);
    }
    let (floor, tile) = scene.bodies.split_first().ok_or_else(|| no_scene("no floor"))?;
    let n_piles = n.div_ceil(pile);
    let side = (n_piles as f64).sqrt().ceil() as usize;
    let mut bodies = vec![floor.clone()];
    for k in 0..n_piles {
        let at = [(k % side) as f64 * PITCH, (k / side) as f64 * PITCH];
        bodies.extend(tile.iter().map(|body| moved(body, k, at)));
    }
    scene.bodies = bodies;
    Ok(scene)
}

fn no_scene(what: &str) -> Error {
    Error::Usage { what: "--settled".to_owned(), allowed: what.to_owned() }
}

fn moved(body: &Body, k: usize, at: [f64; 2]) -> Body {
    let mut body = body.clone();
    body.name = format!("{}-{k}", body.name);
    body.pose.position.x += at[0];
    body.pose.position.y += at[1];
    body
}

/// Number of bodies that move.
pub fn n_moving(scene: &Scene) -> usize {
    scene.bodies.iter().filter(|body| !body.fixed).count()
}

/// Scene of a pile of `n` above a floor, between four walls.
fn text(n: usize) -> String {
    let half = 0.075 * (n as f64).cbrt();
    let high = 3.4 * half;
    let mut text = format!(
        "format = 1\n[simulation]\ntime_step = 0.005\nduration = {SETTLING_TIME}\nseed = 1\n[[friction]]\ncoefficient = 0.5\n\
         ellipsoid = {{ t = 1, o = 1, r = 0.02 }}\n[[body]]\nname = \"floor\"\nshape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}\n"
    );
    for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        let (mut position, mut semi) = ([0.0, 0.0, half], [REACH; 3]);
        position[axis] = sign * (half + THICKNESS);
        semi[axis] = THICKNESS;
        text += &format!(
            "[[body]]\nname = \"wall-{axis}-{}\"\nfixed = true\nposition = {position:?}\n\
             shape = {{ type = \"ellipsoid\", semi_axes = {semi:?} }}\n",
            if sign > 0.0 { "far" } else { "near" }
        );
    }
    text + &format!(
        "[[fill]]\nname = \"grain\"\ncount = {n}\nshape = {{ type = \"ellipsoid\", semi_axes = [0.10, 0.07, 0.05] }}\n\
         density = 1000\nregion = {{ min = [{0}, {0}, 0], max = [{half}, {half}, {high}] }}\n",
        -half
    )
}

/// Takes steps of the scene, one by one: total time, its parts, and the residuals attained.
pub fn steps(scene: &Scene, backend: Option<Arc<dyn Backend>>, n_steps: usize) -> Result<Value, Error> {
    let mut simulation = Simulation::new(scene.clone())?;
    simulation.judge_steps(false);
    if let Some(backend) = backend {
        simulation.use_backend(Guarded::new(backend))?;
    }
    let mut steps = Vec::new();
    for _ in 0..n_steps {
        let outcome = simulation.advance();
        let (info, t) = (&outcome.info, &outcome.info.times);
        let loaded = simulation.contacts().iter().filter(|c| c.normal_impulse > 0.0).count();
        steps.push(json!({
            "seconds": outcome.solve_time.as_secs_f64(),
            "broad_phase_seconds": info.broad_seconds,
            "summed_over_islands": {
                "geometry_seconds": t.geometry,
                "assembly_seconds": t.assembly,
                "factor_seconds": t.factor,
                "solve_seconds": t.solve,
            },
            "residual": info.residual.max(),
            "status": format!("{:?}", info.status),
            "iterations": info.iterations,
            "factorizations": info.factorizations,
            "islands": info.n_islands,
            "contacts": info.n_contacts,
            "loaded_contacts": loaded,
        }));
    }
    let failed = simulation.backend().and_then(Guarded::failed).map(|fault| fault.to_string());
    Ok(json!({ "steps": steps, "failed": failed }))
}
