//! A scene built in code, without a file: a sphere on a slope rolls without slipping if and only if
//! tan θ ≤ 3.5 μ, and either way its acceleration has a closed form.
//!
//! `cargo run --example sphere_on_slope`

#![allow(clippy::print_stdout)]

use nalgebra::{Matrix3, Vector3};
use signorini::geometry::mass_properties::ellipsoid_moments;
use signorini::geometry::{Pose, Shape, Velocity};
use signorini::scene::{Body, Friction, FrictionTable, Scene};
use signorini::settings::SolverSettings;
use signorini::simulation::Simulation;

const GRAVITY: f64 = 9.81;
const MASS: f64 = 1.0;
const RADIUS: f64 = 0.5;
const FRICTION: f64 = 0.3;
const TIME_STEP: f64 = 0.005;
const N_STEPS: usize = 200;

/// A fixed slope of `angle` that falls towards +x, and a sphere at rest on it.
fn scene(angle: f64) -> Scene {
    let normal = Vector3::new(angle.sin(), 0.0, angle.cos());
    let moments = ellipsoid_moments(MASS, &Vector3::repeat(RADIUS));
    let body = |name: &str, shape: Shape, position: Vector3<f64>, fixed: bool| Body {
        name: name.to_owned(),
        shape,
        shape_pose: Pose::identity(),
        // What is fixed has no mass.
        mass: if fixed { 0.0 } else { MASS },
        inertia: if fixed { Matrix3::zeros() } else { Matrix3::from_diagonal(&moments) },
        material: 0,
        pose: Pose { position, ..Pose::identity() },
        velocity: Velocity::default(),
        fixed,
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
    };
    Scene {
        time_step: TIME_STEP,
        duration: N_STEPS as f64 * TIME_STEP,
        gravity: Vector3::new(0.0, 0.0, -GRAVITY),
        seed: 0,
        solver: SolverSettings::default(),
        bodies: vec![
            body("slope", Shape::HalfSpace { normal, offset: 0.0 }, Vector3::zeros(), true),
            body("sphere", Shape::Ellipsoid { semi_axes: Vector3::repeat(RADIUS) }, normal * RADIUS, false),
        ],
        friction: FrictionTable {
            materials: vec!["stone".to_owned()],
            entries: vec![Friction { coefficient: FRICTION, ..Friction::NONE }],
        },
        impulses: Vec::new(),
        forces: Vec::new(),
        springs: Vec::new(),
        joints: Vec::new(),
        motions: Vec::new(),
        compliance: Vec::new(),
    }
}

fn main() -> signorini::Result<()> {
    for degrees in [10.0_f64, 30.0, 45.0, 50.0, 70.0] {
        let angle = degrees.to_radians();
        let scene = scene(angle);
        scene.validate()?;
        let mut simulation = Simulation::new(scene)?;
        for _ in 0..N_STEPS {
            let outcome = simulation.advance();
            assert!(outcome.info.status.is_solved() && outcome.verdict.is_some_and(|v| v.green));
        }
        // Rolling: a = 5/7 g sin θ and ω = v / R. Sliding: a = g (sin θ − μ cos θ), R dω/dt = 5/2 μ g cos θ.
        let rolls = angle.tan() <= 3.5 * FRICTION;
        let (sin, cos) = angle.sin_cos();
        let (acceleration, rim) = if rolls {
            (5.0 / 7.0 * GRAVITY * sin, 5.0 / 7.0 * GRAVITY * sin)
        } else {
            (GRAVITY * (sin - FRICTION * cos), 2.5 * FRICTION * GRAVITY * cos)
        };
        let velocity = simulation.state().velocities[1];
        let time = simulation.time();
        let downhill = Vector3::new(cos, 0.0, -sin);
        let speed = velocity.linear.dot(&downhill);
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
