//! Bodies in a smooth bore: a ball that rolls to and fro against the closed form of the scheme, statics of
//! cylinders that lie along and across, and the turning drum.

use nalgebra::Vector2;
use std::f64::consts::FRAC_1_SQRT_2;
use support::runs::{Run, body, exact_from_text};

const G: f64 = 9.81;
const BORE: f64 = 0.5;

type V = Vector2<f64>;

/// A bore along y with what is in it.
fn scene(h: f64, duration: f64, friction: f64, rest: &str) -> Run {
    let text = format!(
        "format = 1\n[simulation]\ntime_step = {h}\nduration = {duration}\n\
         [[friction]]\ncoefficient = {friction}\n\
         [[body]]\nname = \"bore\"\nshape = {{ type = \"bore\", radius = {BORE} }}\n\
         orientation = [{FRAC_1_SQRT_2}, {FRAC_1_SQRT_2}, 0, 0]\n{rest}"
    );
    Run::new(exact_from_text(&text))
}

/// Angle (rad) of the centre from the lowest place after a step of the implicit scheme with rolling. With e
/// outwards and t across, I = 2/5 m r² and the impulse p_t of friction:
/// t·v = t·v_free + p_t/m = side − 5/2 p_t/m.
fn rolled(center: V, free: V, side: f64, way: f64, h: f64) -> f64 {
    let miss = |angle: f64| {
        let (s, c) = angle.sin_cos();
        let (e, t) = (V::new(s, -c), V::new(c, s));
        let v = (e * way - center) / h;
        t.dot(&(v - free)) - (side - t.dot(&free)) / 3.5
    };
    let start = center.x.atan2(-center.y);
    let (mut low, mut high) = (start - 0.1, start + 0.1);
    assert!(miss(low) < 0.0 && miss(high) > 0.0, "{start}");
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if miss(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn a_ball_rolls_to_and_fro() {
    let (h, radius) = (0.005, 0.1);
    let (way, first) = (BORE - radius, 0.9f64);
    let start = V::new(first.sin(), -first.cos()) * way;
    let ball = format!(
        "[[body]]\nname = \"ball\"\nmass = 2\nposition = [{}, 0.3, {}]\n\
         shape = {{ type = \"sphere\", radius = {radius} }}\n",
        start.x, start.y
    );
    let mut run = scene(h, 2.0, 0.9, &ball);
    let (mut center, mut velocity, mut side, mut least) = (start, V::zeros(), 0.0, first);
    for step in 1..=run.scene().n_steps() {
        run.advance();
        let free = velocity - V::y() * (h * G);
        let angle = rolled(center, free, side, way, h);
        let next = V::new(angle.sin(), -angle.cos()) * way;
        velocity = (next - center) / h;
        side = V::new(angle.cos(), angle.sin()).dot(&velocity);
        center = next;
        least = least.min(angle);
        let found = run.state().poses[body(run.scene(), "ball")].position;
        let off = (V::new(found.x, found.z) - center).norm();
        assert!(off < 1e-6 && (found.y - 0.3).abs() < 1e-9, "step {step}: {found}, {center}");
    }
    assert!(least < -0.5, "{least}");
}

/// Along the bore it rests on a line, held at both ends; each carries half the weight.
#[test]
fn a_cylinder_lies_along_the_bore() {
    let mut run = scene(
        0.01,
        0.2,
        0.5,
        "[[body]]\nname = \"can\"\nmass = 3\nposition = [0, 0, -0.3]\n\
         orientation = [0.7071067811865476, 0.7071067811865476, 0, 0]\n\
         shape = { type = \"cylinder\", radius = 0.2, length = 0.6 }\n",
    );
    run.run_to_the_end();
    let loads: Vec<f64> =
        run.contacts().iter().map(|c| c.normal_impulse / 0.01).filter(|f| *f > 0.0).collect();
    assert_eq!(loads.len(), 2, "{loads:?}");
    assert!(loads.iter().all(|load| (load - 1.5 * G).abs() < 1e-5), "{loads:?}");
    let pose = run.state().poses[body(run.scene(), "can")];
    assert!((pose.position.z + 0.3).abs() < 1e-8 && pose.position.x.abs() < 1e-8, "{pose:?}");
}

/// Across it rests on the lowest point of each rim: without friction both push with m g/(2 cos β), where sin
/// β is half the length over the radius of the bore.
#[test]
fn a_cylinder_lies_across_the_bore() {
    let (half, radius): (f64, f64) = (0.3, 0.05);
    let cosine = (1.0 - (half / BORE).powi(2)).sqrt();
    let height = radius - BORE * cosine;
    let bar = format!(
        "[[body]]\nname = \"bar\"\nmass = 3\nposition = [0, 0, {height}]\n\
         orientation = [0.7071067811865476, 0, 0.7071067811865476, 0]\n\
         shape = {{ type = \"cylinder\", radius = {radius}, length = {} }}\n",
        2.0 * half
    );
    let mut run = scene(0.01, 0.05, 0.0, &bar);
    for _ in 0..run.scene().n_steps() {
        run.advance();
        let expected = 3.0 * G / (2.0 * cosine);
        for side in [-1.0, 1.0] {
            let on_it = run.contacts().iter().filter(|c| c.ecp.x * side > 0.0);
            let load = on_it.map(|c| c.normal_impulse / 0.01).sum::<f64>();
            assert!((load - expected).abs() < 1e-4, "{load} {expected}");
        }
    }
}

/// A box whose edges lie along the bore rests on four corners.
#[test]
fn a_box_lies_on_its_corners() {
    let height = 0.1 - (BORE * BORE - 0.04f64).sqrt();
    let brick = format!(
        "[[body]]\nname = \"brick\"\nmass = 4\nposition = [0, 0.1, {height}]\n\
         shape = {{ type = \"box\", half_extents = [0.2, 0.15, 0.1] }}\n"
    );
    let mut run = scene(0.01, 0.3, 0.4, &brick);
    run.run_to_the_end();
    let up: f64 = run.contacts().iter().map(|c| c.normal_impulse * c.normal.z / 0.01).sum();
    let across: f64 = run.contacts().iter().filter(|c| c.normal_impulse > 0.0).count() as f64;
    assert!(across == 4.0 && up < 4.0 * G && up > 3.0 * G, "{across} {up}");
    let pose = run.state().poses[body(run.scene(), "brick")];
    assert!((pose.position.z - height).abs() < 1e-7, "{pose:?}");
}

/// A drum that turns sets a ball at its bottom turning, until both surfaces run alike.
#[test]
fn a_ball_turns_with_the_drum() {
    let ball = "[[body]]\nname = \"ball\"\nmass = 2\nposition = [0, 0, -0.4]\n\
                shape = { type = \"sphere\", radius = 0.1 }\n\
                [[motion]]\nbody = \"bore\"\naxis = [0, 1, 0]\n\
                velocity = { type = \"constant\", value = 1.5 }\n";
    let mut run = scene(0.002, 6.0, 0.3, ball);
    run.steps(2250);
    // The ball swings, and turns faster and slower: over a period its surface runs as the drum does.
    let period = 2.0 * std::f64::consts::PI * (1.4 * 0.4 / G).sqrt();
    let n_steps = (period / 0.002).round() as usize;
    let mut mean = 0.0;
    for _ in 0..n_steps {
        run.advance();
        mean += run.velocity("ball").angular.y / n_steps as f64;
    }
    assert!((mean - 1.5 * BORE / 0.1).abs() < 0.1, "{mean}");
}
