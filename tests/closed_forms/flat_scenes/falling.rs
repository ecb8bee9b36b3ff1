//! Bodies that fall over turn like a pendulum about the edge they stand on, as long as this sticks.

use super::pendulum;
use super::{G, farthest};
use nalgebra::Vector3;
use signorini_scene::scene::ContactKind;
use support::runs::{Run, body, shipped};

/// Angle of a body's centre from the vertical through the pivot at the origin.
fn angle(run: &Run, name: &str) -> f64 {
    let c = run.state().poses[body(run.scene(), name)].position;
    c.x.hypot(c.y).atan2(c.z)
}

/// Angle at `time` of the run with the scene's step, and with half of it.
fn angles(path: &str, name: &str, time: f64) -> [f64; 2] {
    [1.0, 0.5].map(|part| {
        let mut scene = shipped(path);
        scene.time_step *= part;
        let steps = (time / scene.time_step).round() as usize;
        let mut run = Run::new(scene);
        run.steps(steps);
        angle(&run, name)
    })
}

/// Implicit Euler is of first order: half the step leaves half the error, and the extrapolation of both runs
/// is far closer.
fn assert_first_order([coarse, fine]: [f64; 2], exact: f64) {
    let [first, second] = [coarse - exact, fine - exact];
    assert!(first.abs() < 0.05 * exact, "{coarse} is not {exact}");
    assert!((first / second - 2.0).abs() < 0.2, "errors {first:e} and {second:e} at h and h/2");
    let extrapolated = 2.0 * fine - coarse - exact;
    assert!(extrapolated.abs() < 0.1 * second.abs(), "{extrapolated:e} of {second:e}");
}

/// Half extents (0.2, 0.1, 0.05), its centre 5 mm beyond the edge: about the edge I = m (0.2² + 0.05²)/3 + m
/// r².
#[test]
fn a_brick_tips_over_an_edge() {
    let (out, high) = (0.005_f64, 0.05_f64);
    let r = out.hypot(high);
    let rate = G * r / ((0.04 + 0.0025) / 3.0 + r * r);
    let time = 0.3;
    let exact = pendulum::angle(rate, out.atan2(high), time);
    assert_first_order(angles("seeds/overhang.toml", "brick", time), exact);
    // It goes on, slides off and lands on the ground, 0.5 m below the top of the table.
    let mut run = Run::new(shipped("seeds/overhang.toml"));
    run.run_to_the_end();
    let end = run.state().poses[body(run.scene(), "brick")].position;
    assert!(end.x > 0.05 && end.z < -0.2, "{end}");
}

/// The brick of the seed scene, its centre 5 mm on the table's side of the edge.
#[test]
fn a_brick_that_hangs_over_less_than_half_stays() {
    let mut scene = shipped("seeds/overhang.toml");
    let brick = body(&scene, "brick");
    scene.bodies[brick].pose.position.x = -0.005;
    let start = scene.initial_state();
    let mut run = Run::new(scene);
    run.steps(250);
    assert!(farthest(&start, run.state()) <= 1e-12);
    let c = run.contacts().iter().find(|c| c.normal_impulse > 0.0).expect("it lies on the table");
    assert!((c.ecp - Vector3::new(-0.005, 0.0, 0.0)).norm() <= 1e-8, "{}", c.ecp);
    assert_eq!(c.touch.kind, ContactKind::Surface);
}

/// A cube of side 0.2 about an edge or a corner, r from its centre: I = m 0.2²/6 + m r².
fn rate_of_cube(r: f64) -> f64 {
    G * r / (0.04 / 6.0 + r * r)
}

/// The facets of the cube that touch, each number once, in the order in which they come up under load.
fn facets(run: &mut Run, name: &str) -> Vec<usize> {
    let cube = body(run.scene(), name);
    let mut seen = Vec::new();
    for _ in 0..run.scene().n_steps() {
        run.advance();
        for c in run.contacts().iter().filter(|c| c.normal_impulse > 0.0) {
            let n = c.touch.active_facets[usize::from(c.body_b == cube)];
            if !seen.contains(&n) {
                seen.push(n);
            }
        }
    }
    seen
}

fn assert_lies(run: &Run, name: &str) {
    let z = run.state().poses[body(run.scene(), name)].position.z;
    assert!((z - 0.1).abs() <= 1e-9, "it lies at {z}");
    let v = run.velocity(name);
    assert!(v.linear.norm() < 1e-9 && v.angular.norm() < 1e-8, "{v:?}");
}

#[test]
fn a_cube_falls_from_an_edge_to_a_face() {
    let time = 0.2;
    let exact = pendulum::angle(rate_of_cube(0.1 * 2.0_f64.sqrt()), 0.1, time);
    assert_first_order(angles("seeds/edge-on-face.toml", "cube", time), exact);
    let mut run = Run::new(shipped("seeds/edge-on-face.toml"));
    assert_eq!(facets(&mut run, "cube"), [2, 1]);
    assert_lies(&run, "cube");
}

#[test]
fn a_cube_falls_from_a_corner_to_a_face() {
    let time = 0.2;
    let exact = pendulum::angle(rate_of_cube(0.1 * 3.0_f64.sqrt()), 0.1, time);
    assert_first_order(angles("seeds/vertex-on-face.toml", "cube", time), exact);
    let mut run = Run::new(shipped("seeds/vertex-on-face.toml"));
    assert_eq!(facets(&mut run, "cube"), [3, 2, 1]);
    assert_lies(&run, "cube");
}
