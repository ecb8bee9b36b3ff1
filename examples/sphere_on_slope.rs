//! A scene built in code, without a file: a sphere on a slope rolls without slipping if and only if
//! tan θ ≤ 3.5 μ, and either way its acceleration has a closed form.
//!
//! `cargo run --example sphere_on_slope`

#![allow(clippy::print_stdout)]

use signorini::prelude::*;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 1.0;
const RADIUS: f64 = 0.5;
const FRICTION: f64 = 0.3;
const DURATION: f64 = 1.0;

/// A fixed slope of `angle` that falls towards +x, and a sphere at rest on it.
fn scene(angle: f64) -> signorini::Result<(Scene, BodyId)> {
    let normal = [angle.sin(), 0.0, angle.cos()];
    let mut scene = Scene::builder();
    scene.time_step(0.005).duration(DURATION).friction(Friction::coulomb(FRICTION));
    scene.body(Body::half_space(normal, 0.0));
    let sphere = scene.body(Body::sphere(RADIUS).mass(MASS).at(normal.map(|n| n * RADIUS)));
    Ok((scene.build()?, sphere))
}

fn main() -> signorini::Result<()> {
    for degrees in [10.0_f64, 30.0, 45.0, 50.0, 70.0] {
        let angle = degrees.to_radians();
        let (scene, sphere) = scene(angle)?;
        let mut simulation = Simulation::new(scene)?;
        assert!(simulation.run().all(|outcome| outcome.is_good()));
        // Rolling: a = 5/7 g sin θ and ω = v / R. Sliding: a = g (sin θ − μ cos θ), R dω/dt = 5/2 μ g cos θ.
        let rolls = angle.tan() <= 3.5 * FRICTION;
        let (sin, cos) = angle.sin_cos();
        let (acceleration, rim) = if rolls {
            (5.0 / 7.0 * GRAVITY * sin, 5.0 / 7.0 * GRAVITY * sin)
        } else {
            (GRAVITY * (sin - FRICTION * cos), 2.5 * FRICTION * GRAVITY * cos)
        };
        let velocity = simulation.velocity(sphere)?;
        let time = simulation.time();
        let speed = velocity.linear.x * cos - velocity.linear.z * sin;
        println!(
            "{degrees:>3}°: {} at {speed:.6} m/s after {time} s, expected {:.6}",
            if rolls { "rolls " } else { "slides" },
            acceleration * time
        );
        assert!((speed - acceleration * time).abs() < 1e-6);
        assert!((velocity.angular.y * RADIUS - rim * time).abs() < 1e-6);
    }
    Ok(())
}
