//! A part on the track of a vibrating bowl moves as a point that slides on an incline which vibrates: its
//! equation of motion, integrated by small steps.

use std::f64::consts::{PI, TAU};
use support::judged_steps::G;
use support::runs::{Run, body, from_text};

const RADIUS: f64 = 0.3;
const WIDTH: f64 = 0.04;
const PITCH: f64 = 0.02;
const FRICTION: f64 = 0.4;
const FREQUENCY: f64 = 50.0;
const AMPLITUDE: f64 = 2.4e-4;

/// Way of a point along the incline after a time (m), which sticks to it or slides, and never lifts off.
fn slid(angle: f64, duration: f64) -> f64 {
    let (slope, omega, dt) = ((PITCH / (TAU * (RADIUS - 0.5 * WIDTH))).atan(), TAU * FREQUENCY, 2e-6);
    let (along, upright) = (AMPLITUDE * (angle - slope).cos(), AMPLITUDE * (angle - slope).sin());
    let (mut at, mut v) = (0.0, 0.0);
    for k in 0..(duration / dt) as usize {
        let (s, c) = (omega * k as f64 * dt).sin_cos();
        let press = G * slope.cos() - upright * omega * omega * s;
        assert!(press > 0.0);
        let (belt, change) = (along * omega * c, -along * omega * omega * s);
        // Friction that would keep it on the incline, or what it can.
        let stick = (belt - v) / dt + change + G * slope.sin();
        v += (stick.clamp(-FRICTION * press, FRICTION * press) - G * slope.sin()) * dt;
        at += v * dt;
    }
    at - along * (omega * duration).sin()
}

#[test]
fn a_part_goes_up_and_down_a_bowl_as_on_an_incline_that_vibrates() {
    let middle = RADIUS - 0.5 * WIDTH;
    let slope = (PITCH / (TAU * middle)).atan();
    for angle in [0.35, PI - 0.35] {
        // Half a turn up the track, where it climbs along −y.
        let (half, z) = (0.5 * slope, 0.5 * PITCH + 0.003 * slope.cos() + 2e-5);
        let mut run = Run::new(from_text(&format!(
            "format = 1\n[simulation]\ntime_step = 1e-4\nduration = 0.2\n[solver]\ntolerance = 1e-6\n\
             [[friction]]\ncoefficient = {FRICTION}\n\
             [[bowl]]\nname = \"bowl\"\nradius = {RADIUS}\nwidth = {WIDTH}\npitch = {PITCH}\nturns = 1\n\
             facets = 360\nthickness = 0.005\n\
             drive = {{ frequency = {FREQUENCY}, amplitude = {AMPLITUDE}, angle = {angle} }}\n\
             [[body]]\nname = \"part\"\ndensity = 2700\nposition = [{}, 0, {z}]\n\
             orientation = [{}, {}, 0, 0]\n\
             shape = {{ type = \"box\", half_extents = [0.003, 0.004, 0.003] }}\n",
            -middle,
            half.cos(),
            -half.sin(),
        )));
        let way = |run: &Run| {
            let place = run.state().poses[body(run.scene(), "part")].position;
            middle * (place.y / place.x).atan() / slope.cos()
        };
        // After five periods nothing is left of the start.
        run.steps(1000);
        let before = way(&run);
        run.run_to_the_end();
        let (found, expected) = (way(&run) - before, slid(angle, 0.2) - slid(angle, 0.1));
        assert!((found / expected - 1.0).abs() < 0.02, "{angle}: {found} m, not {expected} m");
        assert!(expected * (0.5 * PI - angle) > 0.001, "{expected}");
    }
}
