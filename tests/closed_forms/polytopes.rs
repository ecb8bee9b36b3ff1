//! Surface contact: the seed scenes of flat bodies against closed forms, every step solved and green.

use nalgebra::{UnitQuaternion, Vector3};
use support::runs::{Run, body, shipped};

/// [XC] example 1: s ← max(s − μ g h, 0), x ← x + h s along (0.8, 0.6). The equivalent contact point lies
/// where the moment of friction about the centre of mass is balanced: half a side times μ ahead.
#[test]
fn a_sliding_cube_neither_drifts_nor_yaws() {
    let mut run = Run::new(shipped("seeds/sliding-cube.toml"));
    let (h, mu, g) = (run.scene().time_step, 0.12, 9.8);
    let cube = body(run.scene(), "cube");
    let along = Vector3::new(0.8, 0.6, 0.0);
    let (mut speed, mut path) = (5.0_f64, 0.0);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        speed = (speed - mu * g * h).max(0.0);
        path += h * speed;
        let pose = run.state().poses[cube];
        let expected = along * path + Vector3::new(0.0, 0.0, 0.5);
        assert!((pose.position - expected).norm() <= 1e-10, "step {step}: {}", pose.position);
        assert!(pose.orientation.angle() <= 1e-10, "step {step} turned by {}", pose.orientation.angle());
        let contact = run.contacts()[0];
        let ahead = contact.ecp - pose.position - Vector3::new(0.0, 0.0, -0.5);
        assert!((ahead - along * 0.06).norm() <= 1e-8, "step {step}: contact point at {ahead}");
        assert_eq!(contact.torsional_impulse, 0.0);
    }
}

/// A stack of ten carries its weight: p_n of contact k is (11 − k) m g h to 1e-9 of one weight, and nothing
/// creeps.
#[test]
fn a_stack_of_ten_stands() {
    let mut run = Run::new(shipped("seeds/stack.toml"));
    let start = run.state().clone();
    for _ in 0..run.scene().n_steps() {
        run.advance();
    }
    let weight = 8.0 * 9.81 * run.scene().time_step;
    for (k, contact) in run.contacts().iter().enumerate() {
        let carried = contact.normal_impulse / weight;
        assert!((carried - (10 - k) as f64).abs() < 1e-5, "contact {k} carries {carried}");
    }
    for (pose, first) in run.state().poses.iter().zip(&start.poses) {
        assert!((pose.position - first.position).norm() < 1e-9, "{} from {}", pose.position, first.position);
    }
}

/// Boxes dropped on each other in all ways: corner, edge and face first, off centre, turning.
#[test]
fn two_boxes_fall_on_each_other() {
    let turns = [[0.0, 0.0, 0.0], [0.7, 0.0, 0.2], [0.6, 0.6, 0.1], [0.1, 1.3, 2.0], [0.0, 0.02, 0.4]];
    for (k, turn) in turns.into_iter().enumerate() {
        let mut scene = shipped("seeds/stack.toml");
        scene.bodies.truncate(3);
        let [x, y, z] = turn;
        scene.bodies[2].pose.orientation = UnitQuaternion::from_euler_angles(x, y, z);
        scene.bodies[2].pose.position = Vector3::new(0.03 * k as f64, -0.02, 0.45);
        scene.bodies[2].velocity.angular = Vector3::new(1.0, -0.5, 2.0);
        let mut run = Run::new(scene);
        for _ in 0..150 {
            run.advance();
        }
        assert!(run.deepest >= -1e-9, "drop {k}: {} of the size deep", run.deepest);
    }
}
