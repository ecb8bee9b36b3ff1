//! Face on a part of a face, edge across edge.

use super::{G, contact, flat};
use nalgebra::{Matrix3, Vector3};
use signorini_scene::scene::ContactKind;
use support::runs::{Run, body, shipped};

/// s ← max(s − μ g h, 0), x ← x + h s. Friction acts 0.1 m below the upper centre, so the equivalent contact
/// point runs 0.1 μ ahead of it; the lower cube's moments about its own give where the ground carries both.
#[test]
fn a_cube_slides_on_a_part_of_another() {
    let mut run = Run::new(shipped("seeds/face-on-face.toml"));
    let [lower, upper] = ["lower", "upper"].map(|name| body(run.scene(), name));
    let start = run.state().clone();
    let (h, mu, weight) = (run.scene().time_step, 0.3, 8.0 * G * run.scene().time_step);
    let (mut speed, mut way, mut slid) = (0.5, 0.0, 0);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        // Speed that friction takes from it in this step: all of the rest in the last.
        let braking = (mu * G * h).min(speed);
        speed -= braking;
        way += h * speed;
        slid += usize::from(speed > 0.0);
        let gone = |i: usize| run.state().poses[i].position - start.poses[i].position;
        assert!((gone(upper) - Vector3::x() * way).norm() <= 1e-10, "step {step}: {}", gone(upper));
        assert!(gone(lower).norm() <= 1e-10, "step {step}: the lower cube went {:e} m", gone(lower).norm());
        let turned = run.state().poses[upper].orientation.angle_to(&start.poses[upper].orientation);
        assert!(turned <= 1e-9, "step {step}: turned by {turned:e}");
        let between = contact(run.scene(), run.contacts(), ["lower", "upper"]);
        assert_eq!(between.touch.kind, ContactKind::Surface);
        assert!((between.normal_impulse / weight - 1.0).abs() <= 1e-8, "step {step}");
        let ahead = 0.1 * braking / (G * h);
        let expected = flat(run.state().poses[upper].position) + Vector3::x() * ahead;
        assert!((flat(between.ecp) - expected).norm() <= 1e-8, "step {step}: {}", between.ecp);
        let below = contact(run.scene(), run.contacts(), ["ground", "lower"]);
        assert!((below.normal_impulse / weight - 2.0).abs() <= 1e-8, "step {step}");
        // Of the lower cube about the middle of its foot: m g x_e + F 0.2 = 2 m g x, F = m braking / h.
        let foot = (flat(between.ecp) + Vector3::x() * (0.2 * braking / (G * h))) * 0.5;
        assert!((flat(below.ecp) - foot).norm() <= 1e-8, "step {step}: {} not {foot}", below.ecp);
    }
    assert!(slid > 10 && speed == 0.0, "it slid for {slid} steps");
}

/// The impulse that stops a point at r from the centre of a cube: p = −K⁻¹ u, K = 1/m + (|r|² − r rᵀ)/I.
#[test]
fn an_edge_hits_an_edge() {
    let mut run = Run::new(shipped("seeds/edge-on-edge.toml"));
    let cube = body(run.scene(), "cube");
    let (mass, h) = (run.scene().bodies[cube].mass, run.scene().time_step);
    run.advance();
    let c = *contact(run.scene(), run.contacts(), ["fixed-cube", "cube"]);
    assert_eq!((c.touch.kind, c.touch.active_facets), (ContactKind::Point, [2, 2]));
    let r = Vector3::new(0.0, 0.01, 0.0) - Vector3::new(0.02, 0.01, 0.1 * 2.0_f64.sqrt());
    let inertia = mass * 0.04 / 6.0;
    let k =
        Matrix3::identity() / mass + (Matrix3::identity() * r.norm_squared() - r * r.transpose()) / inertia;
    let expected = k.try_inverse().expect("regular") * Vector3::new(0.0, 0.0, 1.0 + G * h);
    let sign = if c.body_b == cube { 1.0 } else { -1.0 };
    let found = (c.normal * c.normal_impulse + c.friction_impulse) * sign;
    // The end pose is h ω from the start, and the gap is closed over the step: differences of first order in
    // h.
    assert!((found - expected).norm() < 0.01 * expected.norm(), "{found} not {expected}");
    assert!((c.ecp - Vector3::new(0.0, 0.01, 0.0)).norm() < 1e-3, "{}", c.ecp);
    // It tips, tumbles down and hits the ground, 0.4 m below.
    run.run_to_the_end();
    assert!(run.deepest >= -1e-9, "{} of the size deep", run.deepest);
    let end = run.state().poses[cube].position;
    assert!(end.z < -0.2, "it stayed up there, at {end}");
}
