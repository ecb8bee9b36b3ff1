//! The slip of a record is that of the bodies at the end of the step.

use nalgebra::Vector3;
use signorini::simulation::Simulation;
use signorini::step::ContactRecord;
use signorini_geometry::{Pose, Velocity};
use support::runs::from_text;

/// Spheres poured into a box, solved roughly: many of them spin, and nothing turns them in a step.
const POURED: &str = "format = 1
[simulation]
time_step = 0.001
duration = 0.15
seed = 1
[solver]
tolerance = 1e-2
[[friction]]
coefficient = 0.5
[[container]]
name = \"k\"
min = [-0.03, -0.03, 0.0]
max = [0.03, 0.03, 1.0]
[[fill]]
name = \"grain\"
count = 60
density = 2500
shape = { type = \"sphere\", radius = 0.006 }
region = { min = [-0.029, -0.029, 0.001], max = [0.029, 0.029, 0.12] }
";

fn at(pose: &Pose, velocity: &Velocity, point: Vector3<f64>) -> Vector3<f64> {
    velocity.linear + velocity.angular.cross(&(point - pose.position))
}

/// The slip of a contact of spheres, which has no torsion (m/s).
fn slip(simulation: &Simulation, contact: &ContactRecord) -> f64 {
    let state = simulation.state();
    let on_a = contact.ecp - contact.normal * contact.gap;
    let [a, b] = [(contact.body_a, on_a), (contact.body_b, contact.ecp)]
        .map(|(body, point)| at(&state.poses[body], &state.velocities[body], point));
    let relative = b - a;
    (relative - contact.normal * relative.dot(&contact.normal)).norm()
}

#[test]
fn recorded_slip_is_that_of_the_recorded_velocities() {
    let mut simulation = Simulation::new(from_text(POURED)).expect("a scene");
    let mut contacts = 0;
    for _ in 0..simulation.scene().n_steps() {
        let step = simulation.advance().step;
        for contact in simulation.contacts() {
            let off = (contact.slip_speed - slip(&simulation, contact)).abs();
            assert!(off < 1e-12, "step {step}: {off:e} m/s, {contact:?}");
        }
        contacts += simulation.contacts().len();
    }
    assert!(contacts > 5000, "{contacts} contacts");
}
