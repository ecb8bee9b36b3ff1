//! One tolerance for all (theory §5.4): the residual to which a body is solved does not depend on other
//! bodies in the scene, the length of a step, the place of the origin, or whether anything acts.

use signorini_scene::scene::Scene;
use std::fmt::Write as _;
use support::runs::{Run, from_text, shipped};

const PEBBLES: &str = "format = 1
[simulation]
time_step = 0.005
duration = 0.3
gravity = [0, 0, -9.81]
[[friction]]
coefficient = 0.3
ellipsoid = { t = 1, o = 1, r = 0.001 }
[[body]]
name = \"ground\"
shape = { type = \"half_space\", normal = [0, 0, 1], offset = 0 }
";

/// Cubes of 1 g, one of which slides and spins, with a second on top and a tumbling ellipsoid apart.
fn pebbles() -> String {
    let mut text = PEBBLES.to_owned();
    let cube = "shape = { type = \"box\", half_extents = [0.01, 0.01, 0.01] }\nmass = 0.001";
    let body = |text: &mut String, name: &str, rest: &str| {
        writeln!(text, "[[body]]\nname = \"{name}\"\n{rest}").unwrap();
    };
    body(
        &mut text,
        "a",
        &format!("{cube}\nposition = [0, 0, 0.01]\nvelocity = [1, 0.2, 0]\nangular_velocity = [0, 0, 5]"),
    );
    body(&mut text, "b", &format!("{cube}\nposition = [0.002, 0.001, 0.0301]"));
    body(
        &mut text,
        "c",
        "shape = { type = \"ellipsoid\", semi_axes = [0.01, 0.02, 0.015] }\nmass = 0.002\n\
         position = [0.5, 0, 0.05]\nangular_velocity = [3, -2, 5]",
    );
    text
}

/// Every number of the bodies with these ids, after each step.
fn bits(scene: Scene, ids: std::ops::Range<usize>) -> Vec<u64> {
    let steps = (scene.duration / scene.time_step).round() as usize;
    let (mut run, mut bits) = (Run::new(scene), Vec::new());
    for _ in 0..steps {
        run.steps(1);
        let state = run.state();
        for id in ids.clone() {
            let (pose, velocity) = (&state.poses[id], &state.velocities[id]);
            let numbers = pose.position.iter().chain(velocity.linear.iter()).chain(velocity.angular.iter());
            bits.extend(numbers.map(|x| x.to_bits()));
        }
    }
    bits
}

#[test]
fn an_island_goes_the_same_way_to_the_bit_beside_a_car() {
    let alone = bits(from_text(&pebbles()), 1..4);
    for (mass, force) in [(2000.0, 0.0), (1.0, 1e4), (1e-6, 0.0)] {
        let mut text = pebbles();
        write!(
            text,
            "[[body]]\nname = \"car\"\nshape = {{ type = \"box\", half_extents = [1, 0.8, 0.7] }}\nmass = {mass}\n\
             position = [9, 3, 0.7]\nvelocity = [2, 1, 0]\nforce = [{force}, 0, 0]\n"
        )
        .unwrap();
        assert!(bits(from_text(&text), 1..4) == alone, "beside {mass} kg under {force} N");
    }
}

#[test]
fn bodies_that_meet_in_empty_space_come_to_rest() {
    for n in 2..6 {
        let mut text = PEBBLES.replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, 0]");
        for k in 0..n {
            let at = 0.03 * f64::from(k);
            let speed = 3.0 - 6.0 * f64::from(k) / f64::from(n - 1);
            write!(
                text,
                "[[body]]\nname = \"s{k}\"\nshape = {{ type = \"sphere\", radius = 0.01 }}\nmass = 0.004\n\
                 position = [{at}, 0, 1]\nvelocity = [{speed}, 0, 0]\n"
            )
            .unwrap();
        }
        let n_bodies = usize::try_from(n).unwrap() + 1;
        bits(from_text(&text), 1..n_bodies);
    }
}

#[test]
fn a_stack_rests_at_any_step_length_and_far_from_the_origin() {
    let cube = "shape = { type = \"box\", half_extents = [0.1, 0.1, 0.1] }\nmass = 1";
    for (step, far) in [(1e-6, 0.0), (1e-5, 0.0), (1e-4, 100.0), (1e-2, 1e5), (1e-2, 1e6), (0.1, 0.0)] {
        let mut text = PEBBLES.replace(
            "time_step = 0.005\nduration = 0.3",
            &format!("time_step = {step}\nduration = {}", 50.0 * step),
        );
        text = text.replace("offset = 0 }", &format!("offset = {far} }}"));
        for (k, height) in [0.1, 0.3, 0.5].into_iter().enumerate() {
            let z = far + height;
            write!(text, "[[body]]\nname = \"c{k}\"\n{cube}\nposition = [{far}, 0, {z}]\n").unwrap();
        }
        bits(from_text(&text), 1..4);
    }
}

/// Residuals at a rough tolerance must not add up to a creep: an arch, a wall and a stack, from a while after
/// their start, move by nothing.
#[test]
fn what_stands_stands_still_at_rough_tolerances() {
    let scenes = [
        ("seeds/stack.toml", 1e-2),
        ("seeds/arch.toml", 1e-2),
        ("gallery/arch-stands.toml", 1e-4),
        ("granular/wall-50.toml", 1e-4),
    ];
    for (path, tolerance) in scenes {
        let mut scene = shipped(path);
        scene.solver.tolerance = tolerance;
        let mut run = Run::new(scene);
        run.steps(50);
        let before = run.state().poses.clone();
        run.steps(50);
        for (id, (pose, from)) in run.state().poses.iter().zip(&before).enumerate() {
            assert_eq!(pose, from, "body {id} of {path} at {tolerance:e}");
        }
    }
}
