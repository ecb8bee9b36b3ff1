//! Bodies of several parts: their weights, and how they stand and roll.

use nalgebra::{Matrix3, Vector3};
use signorini::step::ContactState;
use signorini_scene::scene::Scene;
use support::runs::{Run, body, from_text, shipped};

const G: f64 = 9.81;
const HEAD: &str = "format = 1\n[simulation]\ntime_step = 0.005\nduration = 1.0\n[[friction]]\ncoefficient = 0.4\n\
                    [[body]]\nname = \"ground\"\nshape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }\n";

fn with(text: &str) -> Scene {
    from_text(&format!("{HEAD}{text}"))
}

/// v falls by μ g h a step and r ω grows until they meet at v₀/(1 + κ), κ = I/(m R²).
#[test]
fn a_dumbbell_starts_rolling_where_its_inertia_says() {
    let mut run = Run::new(shipped("seeds/dumbbell.toml"));
    let (h, mu, start, radius) = (run.scene().time_step, 0.3, 2.0, 0.1);
    let kappa = (2.0 * 0.4 * radius * radius + 0.5 * 0.5 * 0.02 * 0.02) / (2.5 * radius * radius);
    let rolls_from = kappa / (1.0 + kappa) * start / (mu * G);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let velocity = run.velocity("dumbbell");
        let time = h * step as f64;
        let expected = if time < rolls_from { start - mu * G * time } else { start / (1.0 + kappa) };
        assert!(
            (velocity.linear.x - expected).abs() < 1e-8,
            "step {step}: {velocity:?}, expected {expected}"
        );
        let state = if time < rolls_from { ContactState::Slip } else { ContactState::Stick };
        let listed: Vec<_> = run.contacts().iter().map(|c| (c.part_a, c.part_b, c.state)).collect();
        // The rod is 8 cm above the ground.
        assert_eq!(listed, [(0, 0, state), (0, 2, state)], "step {step}");
        for contact in run.contacts() {
            assert!((contact.normal_impulse / (1.25 * G * h) - 1.0).abs() < 1e-6, "step {step}: {contact:?}");
        }
    }
    let velocity = run.velocity("dumbbell");
    assert!((velocity.linear.x - radius * velocity.angular.y).abs() < 1e-8, "{velocity:?}");
}

/// A table on three balls, with a weight off its middle: each ball carries the load that the balance of
/// moments gives.
#[test]
fn a_table_on_three_feet_loads_them_by_statics() {
    let scene = with(
        "[[body]]\nname = \"table\"\nposition = [0, 0, 0.32]\nparts = [\n\
         { shape = { type = \"sphere\", radius = 0.1 }, position = [-0.3, -0.2, -0.22], mass = 0.5 },\n\
         { shape = { type = \"sphere\", radius = 0.1 }, position = [0.3, -0.2, -0.22], mass = 0.5 },\n\
         { shape = { type = \"sphere\", radius = 0.1 }, position = [0, 0.25, -0.22], mass = 0.5 },\n\
         { shape = { type = \"box\", half_extents = [0.5, 0.4, 0.02] }, position = [0, 0, -0.02], mass = 4 },\n\
         { shape = { type = \"cylinder\", radius = 0.05, length = 0.2 }, position = [0.2, 0.1, 0.1], mass = 3 },\n]\n",
    );
    let mut run = Run::new(scene);
    run.steps(20);
    let h = run.scene().time_step;
    // Weights at (x, y): feet as they are, the plate in the middle, the can at (0.2, 0.1).
    let feet = Matrix3::new(1.0, 1.0, 1.0, -0.3, 0.3, 0.0, -0.2, -0.2, 0.25);
    let moments = Vector3::new(8.5, 0.2 * 3.0, 0.1 * 3.0 + 0.5 * (0.25 - 0.4));
    let loads = feet.try_inverse().expect("three feet") * moments * G;
    assert_eq!(run.contacts().len(), 3);
    for (contact, load) in run.contacts().iter().zip(loads.iter()) {
        let found = contact.normal_impulse / h;
        assert!((found / load - 1.0).abs() < 1e-6, "part {}: {found} N, not {load}", contact.part_b);
    }
}

/// An L of two boxes is the box around both less the box in its corner.
#[test]
fn an_l_weighs_what_two_boxes_do() {
    let scene = with(
        "[[body]]\nname = \"l\"\nposition = [1, 2, 3]\ndensity = 1000\nparts = [\n\
         { shape = { type = \"box\", half_extents = [0.2, 0.1, 0.05] }, position = [0.2, 0.1, 0.05] },\n\
         { shape = { type = \"box\", half_extents = [0.05, 0.1, 0.1] }, position = [0.05, 0.1, 0.2] },\n]\n\
         [[body]]\nname = \"whole\"\nposition = [0, 0, 9]\ndensity = 1000\n\
         shape = { type = \"box\", half_extents = [0.2, 0.1, 0.15] }\n\
         [[body]]\nname = \"corner\"\nposition = [0, 0, 12]\ndensity = 1000\n\
         shape = { type = \"box\", half_extents = [0.15, 0.1, 0.1] }\n",
    );
    let [l, whole, corner] = ["l", "whole", "corner"].map(|name| &scene.bodies[body(&scene, name)]);
    assert!((l.mass - (whole.mass - corner.mass)).abs() < 1e-12 * l.mass, "{}", l.mass);
    let (middle, cut) = (Vector3::new(0.2, 0.1, 0.15), Vector3::new(0.25, 0.1, 0.2));
    let center = (middle * whole.mass - cut * corner.mass) / l.mass;
    let position = Vector3::new(1.0, 2.0, 3.0) + center;
    assert!((l.pose.position - position).norm() < 1e-14, "{:?}, not {position:?}", l.pose.position);
    let about = |arm: Vector3<f64>| Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
    let inertia = whole.inertia + about(middle - center) * whole.mass
        - corner.inertia
        - about(cut - center) * corner.mass;
    assert!((l.inertia - inertia).norm() < 1e-13 * inertia.norm(), "{} not {inertia}", l.inertia);
}

/// Where a body is written about another origin, its joints are given there too.
#[test]
fn anchors_are_given_where_the_parts_are() {
    let pendulum = |body: &str| {
        let text = format!(
            "[[body]]\nname = \"bob\"\ndensity = 1000\n{body}\n[[joint]]\nname = \"hinge\"\n\
             type = \"revolute\"\nbetween = [\"ground\", \"bob\"]\naxes = [[0, 1, 0], [0, 1, 0]]\n"
        );
        let anchor = if body.contains("parts") { "[0, 0, 0]" } else { "[-0.2, 0, 0]" };
        let mut run = Run::new(with(&format!("{text}anchors = [[0, 0, 2], {anchor}]\n")));
        run.steps(100);
        (run.state().poses[1], run.velocity("bob"))
    };
    let half = |x: f64| {
        format!(
            "{{ shape = {{ type = \"box\", half_extents = [0.1, 0.05, 0.05] }}, position = [{x}, 0, 0] }}"
        )
    };
    let (pose, velocity) = pendulum(&format!("position = [0, 0, 2]\nparts = [{}, {}]", half(0.1), half(0.3)));
    let whole = "position = [0.2, 0, 2]\nshape = { type = \"box\", half_extents = [0.2, 0.05, 0.05] }";
    let (alone, expected) = pendulum(whole);
    assert!((pose.position - alone.position).norm() < 1e-12, "{pose:?}, not {alone:?}");
    assert!((velocity.angular - expected.angular).norm() < 1e-11 && expected.angular.norm() > 1.0);
}

/// Between links k and k + 1 goes the weight of all links below.
#[test]
fn links_of_a_chain_bear_what_hangs_on_them() {
    let mut run = Run::new(shipped("seeds/chain.toml"));
    run.steps(run.scene().n_steps());
    let link = 7900.0 * 18e-6 * G * run.scene().time_step;
    let hook = body(run.scene(), "hook");
    for above in 0..10 {
        let listed = run.contacts().iter();
        let between = listed.filter(|c| (c.body_a, c.body_b) == (hook + above, hook + above + 1));
        let borne: f64 = between.map(|c| (c.normal * c.normal_impulse + c.friction_impulse).z).sum();
        let expected = link * (10 - above) as f64;
        assert!((borne.abs() / expected - 1.0).abs() < 1e-6, "link {above}: {borne}, expected {expected}");
    }
}

/// A mesh in two pieces slides as one block does: v falls by μ g h a step until it stands.
#[test]
fn a_bracket_of_two_pieces_slides_and_stops() {
    let mut run = Run::new(shipped("seeds/bracket.toml"));
    let h = run.scene().time_step;
    let bracket = body(run.scene(), "bracket");
    assert_eq!(run.scene().bodies[bracket].parts.len(), 2);
    assert!((run.scene().bodies[bracket].mass - 2700.0 * 39e-6).abs() < 1e-12);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let expected = (0.5 - 0.2 * G * h * step as f64).max(0.0);
        let velocity = run.velocity("bracket");
        assert!(
            (velocity.linear.x - expected).abs() < 1e-8,
            "step {step}: {velocity:?}, expected {expected}"
        );
        assert!(velocity.angular.norm() < 1e-6, "step {step}: {velocity:?}");
    }
}

/// A capsule rolls down a slope as a solid does, with a = g sin θ / (1 + I/(m r²)), although its parts
/// overlap.
#[test]
fn a_capsule_rolls_as_one_solid() {
    let (h, r, l) = (0.002, 0.05_f64, 0.2_f64);
    let scene = from_text(&format!(
        "format = 1\n[simulation]\ntime_step = {h}\nduration = 0.5\n[[friction]]\ncoefficient = 0.5\n\
         [[body]]\nname = \"slope\"\nshape = {{ type = \"half_space\", normal = [0, 0.28, 0.96], offset = 0 }}\n\
         [[body]]\nname = \"capsule\"\ndensity = 1000\nshape = {{ type = \"capsule\", radius = {r}, length = {l} }}\n\
         orientation = [0.7071067811865476, 0, 0.7071067811865476, 0]\nposition = [0, 0.014, 0.048]\n"
    ));
    let (tube, balls) = (std::f64::consts::PI * r * r * l, 4.0 / 3.0 * std::f64::consts::PI * r.powi(3));
    let ratio = (0.5 * tube + 0.4 * balls) / (tube + balls);
    let mut run = Run::new(scene);
    run.run_to_the_end();
    let speed = run.velocity("capsule").linear.norm();
    let exact = 9.81 * 0.28 / (1.0 + ratio) * 0.5;
    assert!((speed / exact - 1.0).abs() < 1e-3, "{speed}, not {exact}");
}
