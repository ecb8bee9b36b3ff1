//! Torsional friction by the surfaces that touch (theory §2.7): bodies that spin on a floor stop when the
//! closed form says.

use support::runs::{Run, body, from_text};

const STEP: f64 = 0.001;
const GRAVITY: f64 = 9.81;
const MU: f64 = 0.5;
const SPIN: f64 = 5.0;

fn spinning(shape: &str, rest: &str) -> Run {
    Run::new(from_text(&format!(
        "format = 1
[simulation]
time_step = {STEP}
duration = 1
gravity = [0, 0, {}]
[[friction]]
coefficient = {MU}
[[body]]
name = \"floor\"
shape = {{ type = \"half_space\", normal = [0, 0, 1], offset = 0 }}
[[body]]
name = \"top\"
density = 1000
angular_velocity = [0, 0, {SPIN}]
shape = {{ {shape} }}
{rest}
",
        -GRAVITY
    )))
}

/// The spin falls by h μ m g e_r / I in every step and then is 0.
fn stops(name: &str, mut run: Run, radius: f64, inertia_over_mass: f64) {
    let top = body(run.scene(), "top");
    let braked = STEP * MU * GRAVITY * radius / inertia_over_mass;
    let n_steps = (SPIN / braked).ceil() as usize;
    for k in 1..=n_steps + 3 {
        run.advance();
        let exact = (SPIN - k as f64 * braked).max(0.0);
        let found = run.state().velocities[top].angular.z;
        assert!((found - exact).abs() < 1e-6 * SPIN, "{name}, step {k}: {found}, exact {exact}");
    }
}

#[test]
fn a_brick_on_its_face() {
    let (a, b) = (0.03_f64, 0.02_f64);
    // The mean distance of a rectangle from its centre, half sides a and b.
    let d = a.hypot(b);
    let radius = d / 3.0 + (a * a / b * (b / a).asinh() + b * b / a * (a / b).asinh()) / 6.0;
    let run = spinning("type = \"box\", half_extents = [0.03, 0.02, 0.01]", "position = [0, 0, 0.01]");
    stops("brick", run, radius, (a * a + b * b) / 3.0);
}

#[test]
fn a_cylinder_on_its_cap() {
    let run = spinning("type = \"cylinder\", radius = 0.02, length = 0.03", "position = [0, 0, 0.015]");
    stops("cylinder", run, 2.0 / 3.0 * 0.02, 0.5 * 0.02 * 0.02);
}

#[test]
fn a_cylinder_on_its_side() {
    let (radius, length) = (0.02_f64, 0.06_f64);
    let lying = "position = [0, 0, 0.02]\norientation = [0.7071067811865476, 0, 0.7071067811865476, 0]";
    let run = spinning("type = \"cylinder\", radius = 0.02, length = 0.06", lying);
    stops("lying cylinder", run, length / 4.0, radius * radius / 4.0 + length * length / 12.0);
}

#[test]
fn a_ball_goes_on() {
    let mut run = spinning("type = \"sphere\", radius = 0.02", "position = [0, 0, 0.02]");
    let top = body(run.scene(), "top");
    run.steps(200);
    assert!((run.state().velocities[top].angular.z - SPIN).abs() < 1e-9);
}
